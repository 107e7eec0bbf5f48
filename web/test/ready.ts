/** Lets everything that is ready run: resolves in a task behind all timers of 0 ms that were set before. */
export function ready(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
