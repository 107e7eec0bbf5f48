// How a page has the demo's worker killed. It cannot end a shared worker by itself: that is
// everybody's. So the worker of the demo listens.

const CHANNEL = "holdfast-demo.kill";

/** Ends this worker in mid-sentence when a page asks for it. */
export function endWhenAsked(): void {
  new BroadcastChannel(CHANNEL).onmessage = () => (globalThis as unknown as { close(): void }).close();
}

/** Ends the demo's workers. Their pages are told nothing, as with a crash. */
export function endWorkers(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("end");
  channel.close();
}
