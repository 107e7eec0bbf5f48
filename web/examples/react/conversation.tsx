import type { Call } from "holdfast";
import { useCall, useCalls } from "holdfast/react";

/** All calls that there are: of this page, of those before it, and of other tabs. */
export function Conversation() {
  const { state, calls } = useCalls();
  if (state === "looking") return <p>Looking for what still runs …</p>;
  return (
    <section data-testid="conversation">
      {calls.length === 0 && <p>Nothing was asked yet.</p>}
      {calls.map((call) => (
        <Message key={call.id} call={call} />
      ))}
    </section>
  );
}

/** One call, as a message that grows. */
function Message({ call: shown }: { call: Call }) {
  const call = useCall(shown);
  const { name, arguments: args } = shown.params as { name: string; arguments?: object };
  const isOver = call.state === "completed" || call.state === "failed" || call.state === "cancelled";
  return (
    <article data-testid="message" data-state={call.state}>
      <strong>{name}</strong> <code>{JSON.stringify(args ?? {})}</code>
      {!isOver && <progress value={call.progress?.progress} max={call.progress?.total ?? 1} />}
      {call.progress?.message && <p>{call.progress.message}</p>}
      {call.result?.content.map((block, i) => <pre key={i}>{"text" in block ? String(block.text) : JSON.stringify(block)}</pre>)}
      {call.error && <p>{call.error.message} {call.error.hint}</p>}
      <footer>
        {isOver ? <button onClick={() => void call.ack()}>Remove</button> : <button onClick={() => call.cancel()}>Cancel</button>}
        {call.error?.code === "outcome_unknown" && <button onClick={() => call.retry()}>Run it again</button>}
        {!isOver && <small> A reload now: {call.guarantee}</small>}
      </footer>
    </article>
  );
}
