// Which host a client gets, of an MCP server or an agent: "auto" is the shared worker, and the page where that cannot
// be had. The whole decision is one table: what keeps a page from having a worker, in the order in which it is
// looked at; and the words for it.

import type { Auth } from "../connect/useroptions.js";
import type { WasmSource } from "../runtime/loadruntime.js";
import type { FetchLike } from "../runtime/sender.js";
import { validatorBeside } from "../runtime/beside.js";
import { whereServed } from "../runtime/whereserved.js";
import { nameBeside } from "../shared/besidescript.js";
import { HoldfastError } from "../shared/errors.js";
import type { HostReason } from "../shared/host.js";
import { inPage } from "../shared/inpage.js";
import { isMixedContent } from "../shared/origins.js";
import { shortened } from "../shared/shortened.js";

/** The app's options, of connect or connectAgent. */
interface Options {
  readonly wasm?: WasmSource;
  readonly validator?: string | URL;
  readonly recorder?: string | URL;
  readonly auth?: Auth | undefined;
  readonly fetch?: FetchLike | undefined;
}

/** What the page knows of a worker before it starts one. */
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

/** What keeps a page from having a worker, as far as that can be seen beforehand. The first that applies is said. */
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

/**
 * What only shows when the worker is started, and its words. It is so in a page whose policy has no
 * such worker-src; and where the browser gives a frame of another site (whose storage is
 * partitioned) or a private window no worker. Where it gives one, that is as good as any other. What shows later
 * is said where the page listens to it (hostlink.ts).
 */
export const atStart = {
  bad_url(): string {
    return "worker is not a URL";
  },
  refused(error: unknown): string {
    return `the browser refuses the worker: ${error instanceof Error ? error.message : String(error)}`;
  },
  not_started(url: string, message: string): string {
    return `the worker at ${url} could not be started${message ? `: ${message}` : ": it is not there, or worker-src of the Content-Security-Policy forbids it"}`;
  },
};

/** There is no worker. Several operations may hear of the same one: each has an error of its own, by {@link named}. */
export class NoWorker extends Error {
  readonly why: HostReason;

  constructor(why: HostReason, message: string, cause?: unknown) {
    super(shortened(message), { cause });
    this.why = why;
  }
}

/** What else may be where a worker that could be there is refused, or does not start: of denied storage Chrome does either. */
const DENIED =
  'worker-src of the Content-Security-Policy forbids it, or the browser denies storage to this page, and workers with it: a setting of the user\'s, which blocks cookies of all sites or those of frames of other sites. host: "page" works there, and keeps nothing';

const origins = new WeakMap<object, NoWorker>();

/** The error for the app, which names the operation, where there is no worker; any other as it is. */
export function named(op: string, error: unknown): unknown {
  if (!(error instanceof NoWorker)) return error;
  const { message, cause } = error;
  const hint = error.why === "not_started" ? { hint: `${whereServed("holdfast-worker.mjs", "worker")} Or ${DENIED}` } : error.why === "refused" ? { hint: DENIED } : {};
  const made = new HoldfastError({ code: "host_unavailable", op, message, ...hint, cause });
  origins.set(made, error);
  return made;
}

/** What an error of {@link named} was made of. */
export function noWorkerOf(error: unknown): NoWorker | undefined {
  return origins.get(error as object);
}

/** Why there is no worker, where that is what the error says; else it is no matter of the host. */
export function reasonOf(error: unknown): HostReason | undefined {
  return noWorkerOf(error)?.why ?? (error instanceof HoldfastError && error.code === "load_failed" ? "load_failed" : undefined);
}

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
