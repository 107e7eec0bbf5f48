import { HoldfastError } from "../base/errors.js";
import type { CallToolResult, JSONSchema, Tool } from "../base/mcp.js";
import { validatorBeside } from "../runtime/beside.js";
import { FileBeside } from "../runtime/filebeside.js";
import type { Validator, Conformity } from "./verdict.js";

/**
 * The rule for a tool result that does not fit its outputSchema. `reject` ends the call with
 * `invalid_structured_content`, which carries the result. `report` delivers the result, and the event
 * `integrity` reports `invalid_output`. `false` checks no result.
 */
export type ValidatePolicy = "reject" | "report" | false;

/** Tells of a result that was delivered although it does not fit, or could not be checked. */
type Report = (what: "invalid_output" | "unchecked_output", cause: string) => void;

/**
 * The outputSchemas of the tools that were listed, and what becomes of results
 * that do not fit them (2025-06-18 and later, server/tools: clients SHOULD
 * validate structured results). A tool that was not listed has no known schema,
 * and its results are not looked at.
 */
export class Outputs {
  readonly #policy: ValidatePolicy;
  readonly #report: Report;
  readonly #load: () => Promise<Validator>;
  readonly #schemas = new Map<string, JSONSchema>();

  constructor(policy: ValidatePolicy, report: Report, load: () => Promise<Validator>) {
    this.#policy = policy;
    this.#report = report;
    this.#load = load;
  }

  /** Remembers what a tool list says of a tool. */
  learn({ name, outputSchema }: Tool): void {
    if (this.#policy === false) return;
    // A copy: the list belongs to the app.
    if (outputSchema === undefined || outputSchema === null) this.#schemas.delete(name);
    else this.#schemas.set(name, structuredClone(outputSchema));
  }

  /** The tools have changed: what they return is not known until they are listed again. */
  forget(): void {
    this.#schemas.clear();
  }

  /** True if the client checks the results of the tool. */
  knows(name: unknown): boolean {
    return this.#schemas.has(name as string);
  }

  /** Looks at a result. Resolves to the error that it is to end with; never rejects. */
  async check(name: string, result: CallToolResult): Promise<HoldfastError | undefined> {
    const schema = this.#schemas.get(name);
    if (schema === undefined || !isWhole(result)) return undefined;
    if (!Object.hasOwn(result, "structuredContent")) return this.#unfit(name, result, undefined);
    const verdict = await this.#judge(schema, result.structuredContent);
    if (verdict.kind === "invalid") return this.#unfit(name, result, verdict);
    if (verdict.kind === "unchecked") this.#report("unchecked_output", `${name}: ${verdict.why}`);
    return undefined;
  }

  async #judge(schema: JSONSchema, value: unknown): Promise<Conformity> {
    try {
      return (await this.#load()).validate(schema, value);
    } catch (error) {
      return {
        kind: "unchecked",
        why: `the validator could not be loaded: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
  }

  #unfit(
    name: string, result: CallToolResult, verdict: (Conformity & { kind: "invalid" }) | undefined,
  ): HoldfastError | undefined {
    const what = verdict
      ? `the structuredContent does not fit the tool's outputSchema (${verdict.keyword})`
      : "the result has no structuredContent, and the tool has an outputSchema";
    if (this.#policy === "report") {
      this.#report("invalid_output", `${name}: ${what}`);
      return undefined;
    }
    return new HoldfastError({
      code: "invalid_structured_content",
      op: "tools/call",
      message: what,
      hint: 'The tool has run, and its result is in error.invalid. To get such results as they are, ' +
        'connect with validate: "report".',
      invalid: verdict
        ? { result, at: verdict.at, keyword: verdict.keyword, rule: verdict.rule }
        : { result },
    });
  }
}

/** True if the schema applies to the result: a tool's failure, a task and a question are not checked. */
function isWhole(result: CallToolResult): boolean {
  if (typeof result !== "object" || result === null || result.isError === true) return false;
  const type = result["resultType"];
  return (type === undefined || type === "complete") && result["task"] === undefined;
}

const validator = new FileBeside<Validator>(validatorBeside, "validate", ofThePackage);

/**
 * Loads the validator once per page, from the app's address where it names one. A failed load is forgotten,
 * so that the next result tries again.
 */
export function loadValidator(named?: URL): Promise<Validator> {
  return validator.load(named);
}

/**
 * The package's own: bundlers see by the literal that it is a part of the app. The build leaves it as it is
 * (Makefile).
 */
function ofThePackage(): Promise<Validator> {
  return import("./holdfast-validate.mjs").catch((error: unknown) => {
    throw error; // without a catch esbuild wants the file to be there
  });
}
