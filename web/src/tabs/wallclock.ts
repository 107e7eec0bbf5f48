/** By how much the wall clock has to lose against the one that nobody sets before it counts as put back, in ms. */
const PUT_BACK = 5_000;

/** When this page or worker began by what the wall clock shows now, in ms since 1970. */
export const wallEpoch = (): number => Date.now() - performance.now();

/** Watches the wall clock against the one that nobody sets, and that stops at most. */
export class WallClock {
  #epoch = wallEpoch();

  /** True if the wall clock was put back since the last call of this function. */
  wasPutBack(): boolean {
    const before = this.#epoch;
    this.#epoch = wallEpoch();
    return this.#epoch < before - PUT_BACK;
  }
}
