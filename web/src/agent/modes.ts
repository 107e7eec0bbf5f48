import type { Open } from "../base/mcp.js";
import { badArgument } from "../base/arguments.js";
import type { ConfigOption } from "./acp.js";
import { isObject } from "./patch.js";
import { unsupported } from "./prompt.js";

/**
 * A way in which the agent can work: "ask", "code" ... (version 1: SessionMode; version 2: a value of the
 * setting for it).
 */
export interface SessionMode extends Open {
  id: string;
  name: string;
  description?: string | null;
}

/** The modes of a session. */
export interface SessionModes {
  /** The mode that the session is in; undefined where it has none. */
  readonly current: string | undefined;
  /** All modes of the session. */
  readonly all: readonly SessionMode[];
  /**
   * The setting that they are values of; undefined where they have a method of their own, as in version 1, or
   * are none.
   */
  readonly option: ConfigOption | undefined;
}

/**
 * The modes of a session: what version 1 has of its own, else the setting of
 * category "mode", which took its place (protocol/v2/migration).
 */
export function sessionModes(
  value: (name: string) => unknown, options: readonly ConfigOption[],
): SessionModes {
  const current = value("currentModeId");
  if (typeof current === "string")
    return { current, all: listed(value("availableModes")) as SessionMode[], option: undefined };
  const option = options.find(({ category, type }) => category === "mode" && type === "select");
  const values = listed(option?.options)
    .flatMap((one) => (Array.isArray(one["options"]) ? listed(one["options"]) : [one]));
  const all = values.map(({ value: id, ...rest }) => ({ ...rest, id }) as SessionMode);
  return { current: typeof option?.currentValue === "string" ? option.currentValue : undefined, all, option };
}

/** Checks that there is such a mode; throws `bad_argument`, or `unsupported` where there is none at all. */
export function checkMode({ current, all, option }: SessionModes, modeId: unknown): void {
  const op = "session/set_mode";
  if (typeof modeId !== "string" || modeId === "")
    throw badArgument(op, "modeId", "has to be that of a mode");
  if (current === undefined && !option) throw unsupported(op, "the session has no modes");
  if (all.length > 0 && !all.some(({ id }) => id === modeId))
    throw badArgument(op, "modeId", "is none of the session's modes");
}

function listed(value: unknown): Open[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
