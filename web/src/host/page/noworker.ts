// There is no worker: why, as it shows when one is started, and the errors that say so.

import { HoldfastError } from "../../base/errors.js";
import type { HostReason } from "../../base/host.js";
import { shortened } from "../../base/shortened.js";
import { whereServed } from "../../runtime/whereserved.js";

/**
 * Reasons against a worker that show only when the worker is started, and their words. A page whose policy
 * has no such worker-src has no worker. Nor has a frame of another site (whose storage is partitioned) or a
 * private window where the browser refuses it one. A worker that such a page gets is as good as any other.
 * Reasons that show later are in hostlink.ts, where the page listens to the worker.
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

/**
 * Error where there is no worker. Several operations may fail with the same one: each has an error of its
 * own, by {@link named}.
 */
export class NoWorker extends Error {
  readonly why: HostReason;

  constructor(why: HostReason, message: string, cause?: unknown) {
    super(shortened(message), { cause });
    this.why = why;
  }
}

/**
 * Other possible reason where a worker is refused or does not start. Chrome does either where storage is
 * denied.
 */
const DENIED =
  'worker-src of the Content-Security-Policy forbids it, or the browser denies storage to this page, and workers with it: a setting of the user\'s, which blocks cookies of all sites or those of frames of other sites. host: "page" works there, and keeps nothing';

/** The hints for a worker that is refused, or does not start. */
const hints: { readonly [why in HostReason]?: () => string } = {
  not_started: () => `${whereServed("holdfast-worker.mjs", "worker")} Or ${DENIED}`,
  refused: () => DENIED,
  no_locks: () => `The page is served over plain http; where it is served over https, ${DENIED}`,
};

const origins = new WeakMap<object, NoWorker>();

/** The error for the app, which names the operation, where there is no worker; any other as it is. */
export function named(op: string, error: unknown): unknown {
  if (!(error instanceof NoWorker)) return error;
  const { message, cause } = error;
  const hint = hints[error.why]?.();
  const made = new HoldfastError({ code: "host_unavailable", op, message, ...(hint && { hint }), cause });
  origins.set(made, error);
  return made;
}

/** Reason that an error of {@link named} was made of. */
export function noWorkerOf(error: unknown): NoWorker | undefined {
  return origins.get(error as object);
}

/**
 * Reason against the worker, where the error says so; undefined for an error that does not concern the host.
 */
export function reasonOf(error: unknown): HostReason | undefined {
  return noWorkerOf(error)?.why ?? (error instanceof HoldfastError && error.code === "load_failed" ? "load_failed" : undefined);
}
