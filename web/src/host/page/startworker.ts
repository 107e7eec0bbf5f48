import { atStart, NoWorker } from "./noworker.js";
import { located } from "../../runtime/located.js";
import { trusted } from "../../runtime/scripturl.js";
import { BUILD } from "../../base/build.js";
import { type PageLock, pageLock, releaseLock } from "./pagelock.js";
import type { Ahead } from "../wire/openingmessage.js";
import type { PageMessage } from "../wire/protocol.js";
import { inPage } from "../../base/inpage.js";

// At the top level and in this literal form, as runtime/beside.ts has it.
const workerBeside = located("holdfast-worker.mjs", () => new URL("./holdfast-worker.mjs", import.meta.url));

/** A worker that was started, or joined. */
export interface StartedWorker {
  readonly port: MessagePort;
  /** True if the worker lives on for a while after its last page has gone, as over a reload. */
  readonly outlives: boolean;
  /** Rejects where the worker's script cannot be had. */
  readonly failed: Promise<never>;
  /** Lock of the page, which has said hello. */
  readonly lock: PageLock;
  /** Message that the page has sent with its hello, to open a client. */
  readonly ahead: Ahead | undefined;
  /** Messages that arrive until the page's side listens. */
  readonly early: unknown[];
  /** Ends a worker that is this page's alone, and leaves one that is shared. */
  stop(): void;
}

/**
 * Where the worker's script is. The address carries the build: after a deploy the browser, or a
 * proxy, may still have the script of the earlier one under its plain address. Throws a NoWorker.
 */
export function workerURL(worker: string | URL = workerBeside): string {
  let url: URL;
  try {
    url = new URL(inPage(worker));
  } catch (error) {
    throw new NoWorker("bad_url", atStart.bad_url(), error);
  }
  if (url.protocol.startsWith("http")) url.search += `${url.search ? "&" : "?"}${BUILD}`; // blob: and data: have no query
  return url.href;
}

/**
 * Starts the worker of that kind, or joins the one that is there: of `shared` ones there is
 * one for each script, build and `of`, which says whose it is. It is told `ahead` at once, where that can cross. Throws a NoWorker.
 */
export function startWorker(kind: "shared" | "worker", url: string, of: string, ahead?: Ahead): StartedWorker {
  const name = `holdfast ${BUILD} ${of}`;
  const lock = pageLock(); // asked for first: it takes as long as the worker's answer, and connect() waits for both
  try {
    if (kind === "worker") {
      const worker = new Worker(trusted(url), { type: "module", name });
      const { port1, port2 } = new MessageChannel();
      worker.postMessage(0, [port2]);
      return greeted(port1, lock, ahead, false, failure(worker, url), () => worker.terminate());
    }
    // A browser that does not know extendedLifetime never reads it: there the worker lives as long as a page has it.
    let outlives = false;
    const options: WorkerOptions & { readonly extendedLifetime: boolean } = {
      type: "module",
      name,
      get extendedLifetime() {
        return (outlives = true);
      },
    };
    const worker = new SharedWorker(trusted(url), options);
    return greeted(worker.port, lock, ahead, outlives, failure(worker, url), () => worker.port.close());
  } catch (error) {
    releaseLock(lock);
    throw new NoWorker("refused", atStart.refused(error), error);
  }
}

/**
 * Worker that was started. It hears of the page at once, and its answers wait until the page's side is
 * loaded.
 */
function greeted(port: MessagePort, lock: PageLock, opening: Ahead | undefined, outlives: boolean, failed: Promise<never>, end: () => void): StartedWorker {
  const early: unknown[] = [];
  port.onmessage = ({ data }) => early.push(data);
  const say = (message: PageMessage): void => port.postMessage(message);
  say({ t: "hello", build: BUILD, lock: `holdfast.${lock.name}`, outlives });
  let ahead = opening;
  try {
    if (ahead && ahead.say !== null) {
      say(ahead.message);
      ahead.say = say;
    }
  } catch {
    ahead = undefined; // the page's side says what is wrong with it
  }
  const stop = (): void => {
    say({ t: "bye" });
    end();
    releaseLock(lock);
  };
  return { port, outlives, failed, lock, ahead, early, stop };
}

function failure(worker: AbstractWorker, url: string): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    worker.onerror = (event) => {
      const { message = "" } = event as unknown as { message?: string };
      reject(new NoWorker("not_started", atStart.not_started(url, message)));
    };
  });
  failed.catch(() => {}); // after the start nobody looks at it
  return failed;
}
