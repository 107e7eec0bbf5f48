// A React app of all hooks, in StrictMode. What it draws is in its elements, for the stories.
import { Component, Profiler, StrictMode, Suspense, useState, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import {
  elicit,
  HoldfastProvider,
  useCall,
  useCalls,
  useElicitation,
  useMcp,
  useSuspenseMcp,
  useTools,
} from "holdfast/react";
import { useAgent, useAgentSession } from "holdfast/agent/react";
import type { CallSnapshot } from "holdfast/react";
import type { McpClient } from "holdfast";

/** What a story looks at beside the page. */
const seen = { commits: {} as Record<string, number>, frames: 0, shown: {} as Record<string, CallSnapshot>, clients: new Set<McpClient>() };
declare global {
  var story: typeof seen & { servers: { mcp: string; acp?: string }; client?: McpClient };
}
globalThis.story = Object.assign(seen, globalThis.story);
const count = (): void => {
  seen.frames++;
  requestAnimationFrame(count);
};
requestAnimationFrame(count);

const { mcp, acp } = story.servers;
const named = new URLSearchParams(location.search);
const options = () => ({ handlers: { elicitation: elicit }, ack: (named.get("ack") ?? "manual") as "auto" | "manual" }); // another one each time

/** Counts what is drawn of its children. */
function Counted({ name, children }: { name: string; children: ReactNode }) {
  return <Profiler id={name} onRender={() => void (seen.commits[name] = (seen.commits[name] ?? 0) + 1)}>{children}</Profiler>;
}

/** One call, by its key. */
function Shown({ name, label }: { name: string; label: string }) {
  const call = useCall(label);
  seen.shown[name] = call;
  if (named.has("throws") && call.result) throw new Error("the result cannot be drawn");
  return (
    <section data-call={name} data-state={call.state} data-events={call.progress?.progress ?? 0} data-guarantee={call.guarantee}>
      <progress value={call.progress?.progress ?? 0} max={call.progress?.total ?? 1} />
      <output>{call.events.map((event) => (event.type === "progress" ? event.progress : "")).filter(Boolean).slice(-8).join(" ")}</output>
      <p>{JSON.stringify(call.result?.structuredContent ?? call.error?.code ?? null)}</p>
      <button data-done={name} onClick={() => void call.ack()}>Done</button>
      <button data-cancel={name} onClick={() => call.cancel()}>Cancel</button>
    </section>
  );
}

function Tools() {
  const { state, tools } = useTools();
  return <ul data-tools={state}>{tools.map(({ name }) => <li key={name}>{name}</li>)}</ul>;
}

function Calls() {
  const { state, calls } = useCalls();
  return <ol data-calls={state}>{calls.map((call) => <li key={call.id}>{call.key}</li>)}</ol>;
}

function Questions() {
  return useElicitation().map((question) => (
    <form key={question.id} data-question={question.message} onSubmit={(event) => (event.preventDefault(), question.accept(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>))}>
      <input name="answer" />
      <button>Answer</button>
    </form>
  ));
}

function Suspended() {
  const client = useSuspenseMcp(mcp, options());
  seen.clients.add(client);
  return <p data-suspended={client.state} />;
}

function Chat({ url }: { url: string }) {
  const { client, error } = useAgent(url);
  const { state, transcript, requests, newSession, prompt } = useAgentSession(client);
  const text = transcript.flatMap((item) => (item.type === "agent_message" ? item.content.map((block) => (block.type === "text" ? block.text : "")) : [])).join("");
  return (
    <section data-chat={error?.code ?? state}>
      <p data-said>{text}</p>
      {requests.map((request, i) => "options" in request && <div key={i} data-permission>{request.options.map(({ optionId, name }) => <button key={optionId} onClick={() => request.select(optionId)}>{name}</button>)}</div>)}
      <button data-begin onClick={() => void newSession({ cwd: "/w" })}>Begin</button>
      <button data-say onClick={() => void prompt(named.get("prompt") ?? "hello")}>Say</button>
    </section>
  );
}

/** Shows what is thrown below it. */
class Boundary extends Component<{ name: string; children: ReactNode }> {
  override state: { error?: { code: string; message: string; hint?: string } } = {};
  static getDerivedStateFromError(error: unknown) {
    return { error };
  }
  override render() {
    const { error } = this.state;
    return error ? <p data-error={this.props.name} data-code={error.code}>{error.message} {error.hint}</p> : this.props.children;
  }
}

function Main() {
  const { client, state, error } = useMcp();
  const [isShown, show] = useState(true);
  if (client) seen.clients.add(client);
  globalThis.story.client = client!;
  return (
    <main data-state={state} data-code={error?.code} data-host={client?.host}>
      <button data-toggle onClick={() => show(!isShown)}>{isShown ? "Hide" : "Show"}</button>
      <Counted name="tools"><Tools /></Counted>
      <Calls />
      {isShown && <Boundary name="a"><Counted name="a"><Shown name="a" label="a" /></Counted></Boundary>}
      {isShown && <Boundary name="again"><Counted name="again"><Shown name="again" label="a" /></Counted></Boundary>}
      <Questions />
    </main>
  );
}

function Page() {
  const [isOn, turn] = useState(true);
  return (
    <>
      <button data-away onClick={() => turn(!isOn)}>{isOn ? "Away" : "Back"}</button>
      {isOn && (
        <HoldfastProvider url={mcp} options={options()}>
          <Main />
          <Suspense fallback={<p data-suspended="waiting" />}><Suspended /></Suspense>
        </HoldfastProvider>
      )}
      <Boundary name="useTools"><Tools /></Boundary>
      <Boundary name="useCall"><Shown name="none" label="a" /></Boundary>
      {acp && <Chat url={acp} />}
    </>
  );
}

createRoot(document.getElementById("root")!).render(<StrictMode><Page /></StrictMode>);
