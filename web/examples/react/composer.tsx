import { useState, type FormEvent } from "react";
import { useMcp, useTools } from "holdfast/react";

/** Chooses a tool and calls it. */
export function Composer() {
  const { client, state, error, reconnect } = useMcp();
  const { tools } = useTools();
  const [chosen, choose] = useState("");
  const [problem, setProblem] = useState("");
  if (error) return <p>{error.message} {error.hint} <button onClick={reconnect}>Try again</button></p>;
  const tool = tools.find(({ name }) => name === chosen) ?? tools[0];
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("arguments"));
    try {
      if (client && tool) client.callTool(tool.name, JSON.parse(text || "{}") as Record<string, unknown>);
      setProblem("");
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form data-testid="composer" data-state={state} onSubmit={submit}>
      <select value={tool?.name ?? ""} onChange={(event) => choose(event.target.value)}>
        {tools.map(({ name, title }) => <option key={name} value={name}>{title ?? name}</option>)}
      </select>
      <p>{tool?.description}</p>
      <label>Arguments, as JSON <input name="arguments" placeholder='{ "n": 3 }' /></label>
      {problem && <p>{problem}</p>}
      <button disabled={!client || !tool}>Call</button>
    </form>
  );
}
