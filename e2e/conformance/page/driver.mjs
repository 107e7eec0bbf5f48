// The page under test: does what a scenario of the conformance suite asks a
// client to do, with the public API and nothing else.
import { connect } from "/holdfast.mjs";
import { authorization } from "./authorization.mjs";
import { stepsOf } from "./scenarios.mjs";

/** What the client says it is. The suite wants a name and a version. */
const CLIENT = { name: "holdfast-conformance", version: "1.0.0" };

/**
 * Does a task: { scenario, revision, url, context, interaction }. Says how it ended rather
 * than rejecting: { ok, reason, spoke }, the last being the revision in use.
 */
export async function drive(task) {
  const clients = [];
  const session = {
    context: task.context,
    connect: async (options = {}) => {
      const mcp = await connect(task.url, { ...optionsOf(task), ...options });
      clients.push(mcp);
      return mcp;
    },
  };
  try {
    await stepsOf(task.scenario)(session);
    return { ok: true, reason: "", spoke: clients.at(-1)?.revision ?? "" };
  } catch (error) {
    console.error(error);
    return { ok: false, reason: describe(error), spoke: clients.at(-1)?.revision ?? "" };
  } finally {
    // The suite's servers end only when their connections have.
    await Promise.all(clients.map((mcp) => mcp.close()));
  }
}

/** In the window of a sign-in: takes the answer that it has come back with, which closes it. */
export async function answer(task) {
  await connect(task.url, optionsOf(task)).catch(() => {});
}

function optionsOf(task) {
  return { client: CLIENT, revision: task.revision, ...(task.scenario.startsWith("auth/") ? authorization(task) : {}) };
}

function describe(error) {
  if (!(error instanceof Error)) return String(error);
  return `${error.code ?? error.name}: ${error.message}`;
}
