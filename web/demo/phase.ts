// How a run of the first page stands, and what may happen to it: one value, one table.

/** How a run stands. `struck`: both pages have been reloaded, cut off or put to sleep. */
export type Phase = "idle" | "starting" | "running" | "struck" | "ended";

/** What happens to a run. `begun`: both pages have made their call. `over`: both calls have ended. */
export type Happening = "start" | "begun" | "strike" | "over" | "stop";

const NEXT: Record<Phase, Partial<Record<Happening, Phase>>> = {
  idle: { start: "starting" },
  starting: { begun: "running", over: "ended", stop: "idle" },
  running: { strike: "struck", over: "ended", stop: "idle" },
  struck: { over: "ended", stop: "idle" },
  ended: { start: "starting" },
};

/** What a run becomes by something; undefined where that cannot happen to it. */
export function next(phase: Phase, happening: Happening): Phase | undefined {
  return NEXT[phase][happening];
}
