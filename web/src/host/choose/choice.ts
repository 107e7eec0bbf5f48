// Which host a client gets, of an MCP server or an agent: "auto" is the shared worker, and the page where that cannot
// be had. The whole decision is one table: what keeps a page from having a worker, in the order in which it is
// looked at, with the words for it. What only shows later is in page/noworker.ts.

import type { Auth } from "../../connect/useroptions.js";
import type { WasmSource } from "../../runtime/loadruntime.js";
import type { FetchLike } from "../../runtime/sender.js";
import { validatorBeside } from "../../runtime/beside.js";
import { nameBeside } from "../../base/besidescript.js";
import type { HostReason } from "../../base/host.js";
import { inPage } from "../../base/inpage.js";
import { isMixedContent } from "../../base/origins.js";
import { NoWorker } from "../page/noworker.js";

/** The app's options, of connect or connectAgent. */
interface Options {
  readonly wasm?: WasmSource;
  readonly validator?: string | URL;
  readonly recorder?: string | URL;
  readonly auth?: Auth | undefined;
  readonly fetch?: FetchLike | undefined;
}

/** Facts that a page knows of a worker before the page starts the worker. */
export interface Surroundings {
  readonly kind: "shared" | "worker";
  readonly options: Options;
  /** The address that the client is for; missing where none is known yet. */
  readonly url?: string | undefined;
  /** The address of the worker's script. */
  readonly script: string;
  /** The page's origin, "null" for an opaque one. A frame may have the origin of the page around it, and no address (`srcdoc`). */
  readonly origin: string | undefined;
  readonly hasWindow: boolean;
  readonly hasLocks: boolean;
  readonly hasKind: boolean;
}

interface Rule {
  readonly why: HostReason;
  applies(page: Surroundings): boolean;
  text(page: Surroundings): string;
}

/** The option that names a file beside neither the worker's script nor the module, beside which a worker of a CDN's is, and its address. */
function elsewhere({ options: { validator, recorder }, script }: Surroundings): [option: string, url: string] | undefined {
  for (const [option, file] of Object.entries({ validator, recorder })) {
    const url = addressOf(file);
    if (url && !nameBeside(url, script) && !nameBeside(url, validatorBeside.href)) return [option, url];
  }
  return undefined;
}

/** Empty for what is no address, which is refused where the options are looked at. */
export function addressOf(file: unknown): string {
  try {
    return typeof file === "string" || file instanceof URL ? inPage(file) : "";
  } catch {
    return "";
  }
}

/**
 * Reasons for which a page cannot have a worker, as far as the page sees beforehand. The first that applies
 * is reported.
 */
export const RULES: readonly Rule[] = [
  {
    why: "page_wasm",
    applies: ({ options: { wasm } }) => typeof wasm === "object" && !(wasm instanceof URL),
    text: () => "wasm is no URL: a worker loads it by itself",
  },
  {
    why: "page_wasm",
    applies: ({ options: { wasm } }) => /^(?!https?:)[a-z][a-z\d+.-]*:/i.test(String(wasm)),
    text: ({ options: { wasm } }) => `a worker fetches the wasm over http, and wasm is ${String(wasm)}`,
  },
  {
    why: "other_folder",
    applies: (page) => elsewhere(page) !== undefined,
    text: (page) => `a worker imports only what lies beside its own script, and ${elsewhere(page)!.join(" is ")}`,
  },
  {
    why: "page_code",
    applies: ({ options: { fetch } }) => typeof fetch === "function",
    text: () => "fetch is a function, which has to run in the page",
  },
  {
    why: "page_code",
    applies: ({ options: { auth }, hasWindow }) => auth !== undefined && !(auth.crossing && hasWindow),
    text: ({ hasWindow }) => (hasWindow ? "auth has a function of its own (fetch, metadataProxy, credentials), which has to run in the page, or is a program's" : "auth needs a window, which only a page has"),
  },
  {
    why: "mixed_content",
    applies: ({ url, origin }) => url !== undefined && isMixedContent(url, origin),
    text: () => "the page is https and the server is not, for which browsers keep pages back, and not each worker",
  },
  {
    why: "opaque_origin",
    applies: ({ origin }) => origin === "null",
    text: () => "the page has an opaque origin, as a sandboxed frame has or a file: it can have no worker",
  },
  {
    why: "unsupported",
    applies: ({ hasKind }) => !hasKind,
    text: ({ kind }) => `this browser has no ${kind === "shared" ? "SharedWorker" : "Worker"}`,
  },
  {
    why: "no_locks",
    applies: ({ hasLocks }) => !hasLocks,
    text: () => "this page has no Web Locks (plain http), by which a worker knows which pages live",
  },
  {
    why: "other_origin",
    applies: ({ script, origin }) => new URL(script).origin !== origin,
    text: ({ script }) => `${script} is of another origin than the page: serve holdfast-worker.mjs from the page's own, and say where with the option worker`,
  },
];

/** Throws where a rule says that there can be no worker. */
export function checkHost(page: Surroundings): void {
  const rule = RULES.find((each) => each.applies(page));
  if (rule) throw new NoWorker(rule.why, rule.text(page));
}

/** The page as it is. */
export function surroundings(kind: "shared" | "worker", options: Options, script: string, url?: string): Surroundings {
  const { origin, navigator, document } = globalThis as Partial<typeof globalThis>;
  return {
    kind,
    options,
    url,
    script,
    origin,
    hasWindow: document !== undefined,
    hasLocks: !!navigator?.locks,
    hasKind: typeof (kind === "shared" ? globalThis.SharedWorker : globalThis.Worker) === "function",
  };
}
