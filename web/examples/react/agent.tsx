import { useState, type FormEvent } from "react";
import type { PermissionRequest, TranscriptItem } from "holdfast/agent";
import { useAgent, useAgentSession } from "holdfast/agent/react";

/** A conversation with an ACP agent. It is there again after a reload, and what it is doing goes on. */
export function AgentChat({ url }: { url: string }) {
  const { client, error, reconnect } = useAgent(url);
  const { state, transcript, requests, newSession, prompt, cancel } = useAgentSession(client);
  const [problem, setProblem] = useState("");
  if (error) return <p>{error.message} {error.hint} <button onClick={reconnect}>Try again</button></p>;
  const tell = (error: unknown) => setProblem((error as Error).message);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    prompt(String(new FormData(form).get("prompt"))).then(() => form.reset(), tell);
  };
  return (
    <section data-testid="agent" data-state={state}>
      {state === "missing" && <button onClick={() => newSession({ cwd: "/" }).catch(tell)}>Talk to the agent</button>}
      {transcript.map((item, i) => <Said key={i} item={item} />)}
      {requests.map((request, i) => "options" in request && <Permission key={i} request={request} />)}
      {problem && <p>{problem}</p>}
      {state !== "missing" && (
        <form onSubmit={submit}>
          <label>To the agent <input name="prompt" required /></label>
          <button disabled={state !== "idle"}>Say</button>
          {state === "running" && <button type="button" onClick={() => void cancel()}>Stop</button>}
        </form>
      )}
    </section>
  );
}

/** One item of what was said and done. */
function Said({ item }: { item: TranscriptItem }) {
  if (item.type === "tool_call") return <p>🔧 {item.title} ({item.status})</p>;
  if (item.type !== "user_message" && item.type !== "agent_message") return null;
  return <p data-said={item.type}>{item.content.map((block) => ("text" in block ? String(block.text) : "")).join("")}</p>;
}

/** What the agent waits for. */
function Permission({ request }: { request: PermissionRequest }) {
  return (
    <article data-testid="permission">
      <p>{request.title}</p>
      {request.options.map(({ optionId, name }) => <button key={optionId} onClick={() => request.select(optionId)}>{name}</button>)}
    </article>
  );
}
