// The skills extension (SEP-2640).

/** Lists the skills; the client must not read a file of theirs of its own accord. */
export async function listSkills({ connect }) {
  const mcp = await connect();
  await mcp.request("skills/list").result;
}

/**
 * Loads a skill whose SKILL.md is not what the list promised, and then a file of
 * it. Finding that out is the client's part, not this page's: without an API for
 * skills there is nothing to test, and reading no further would prove nothing.
 */
export async function loadSkill({ connect }) {
  const mcp = await connect();
  if (typeof mcp.listSkills !== "function" || typeof mcp.readSkill !== "function") {
    throw new Error("the API has no skills");
  }
  const { skills } = await mcp.listSkills();
  for (const skill of skills) {
    for (const { uri } of skill.resources) await mcp.readSkill(skill, uri);
  }
}
