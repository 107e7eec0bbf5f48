/**
 * Requests of several rounds (SEP-2322): the server asks for input in a result,
 * with a state for the client to echo. An unrelated call is made while the first
 * one waits for its answer, and must take nothing of it along.
 */
export async function requestState({ connect }) {
  let meanwhile;
  const elicitation = async () => {
    meanwhile ??= mcp.callTool("test_mrtr_unrelated").result;
    await meanwhile;
    return { action: "accept", content: { confirmed: true } };
  };
  const mcp = await connect({ handlers: { elicitation } });
  await mcp.listTools();
  await mcp.callTool("test_mrtr_echo_state").result;
  await mcp.callTool("test_mrtr_no_state").result;
  await mcp.callTool("test_mrtr_no_result_type").result;
}
