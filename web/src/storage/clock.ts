// The time, as far as pages know it. Records age by wall clocks, and a wall clock can be set: no reading
// counts alone. A reading is sure once another page has read the clock at least a day later, and has not
// found it put back.

/** Readings of earlier pages, in ms since 1970. */
export interface Readings {
  /** The latest time that is sure to have come; 0 for none. */
  sound: number;
  /** A later reading, which may be wrong. */
  latest: number;
}

/** How much later a reading has to be that confirms another, in ms. */
const CONFIRMS = 24 * 3_600_000;

/** The readings with one more; `stored` is what the database has, and may be anything. */
export function readClock(stored: unknown, now: number): Readings {
  const { sound, latest } = readingsOf(stored) ?? { sound: 0, latest: now };
  // Put back: one of the two is wrong, and nothing says which.
  if (now < latest) return { sound: Math.min(sound, now), latest: now };
  return now - latest < CONFIRMS ? { sound, latest } : { sound: latest, latest: now };
}

/** The readings that a record has; undefined where it has none. */
export function readingsOf(record: unknown): Readings | undefined {
  const { sound, latest } = (record ?? {}) as Partial<Record<keyof Readings, unknown>>;
  return isTime(sound) && isTime(latest) && sound <= latest ? { sound, latest } : undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
