import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { elicit, HoldfastProvider } from "holdfast/react";
import { Conversation } from "./conversation.js";
import { AgentChat } from "./agent.js";
import { Questions } from "./questions.js";
import { Composer } from "./composer.js";

/** The server: ?server=… in the address, or one beside the page. */
const server = new URLSearchParams(location.search).get("server") ?? "/mcp";

/** An ACP agent beside it, where the address names one: ?agent=… */
const agent = new URLSearchParams(location.search).get("agent");

// "manual": a message stays, over reloads as well, until somebody removes it.
const options = { client: { name: "holdfast-react-example", version: "1.0.0" }, handlers: { elicitation: elicit }, ack: "manual" } as const;

function App() {
  const [isOpen, open] = useState(true);
  return (
    <HoldfastProvider url={server} options={options}>
      <button onClick={() => open(!isOpen)}>{isOpen ? "Hide the conversation" : "Show the conversation"}</button>
      {isOpen && <Conversation />}
      <Questions />
      <Composer />
      {agent && <AgentChat url={agent} />}
    </HoldfastProvider>
  );
}

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
