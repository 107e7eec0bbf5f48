// A view as its author writes it: the official App, in a page that a server has as a ui:// resource. What it shows it logs
// as well, so that a story hears it.
import { App } from "@modelcontextprotocol/ext-apps";

interface Said {
  content: { type: string; text?: string }[];
}

const app = new App({ name: "harbour", version: "1.0.0" });
const show = (text: string): void => {
  document.querySelector("p")!.textContent = text;
  void app.sendLog({ level: "info", data: text });
};
const textOf = ({ content }: Said): string => content.map(({ text }) => text).join("");
app.addEventListener("toolinput", ({ arguments: args }) => show(`Asked with ${JSON.stringify(args)}.`));
app.addEventListener("toolresult", async (result) => {
  show(textOf(result as Said));
  show(textOf((await app.callServerTool({ name: "berth", arguments: {} })) as Said));
  await app.callServerTool({ name: "model_only", arguments: {} }).catch((error: Error) => show(error.message));
  const reached = await fetch("https://example.com/").then(() => "the network", () => "nothing");
  show(`${origin} reaches ${reached}.`);
});
await app.connect();
