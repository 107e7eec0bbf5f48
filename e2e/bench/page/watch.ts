/** What a measurement did to the main thread, besides taking its time. */
export interface Strain {
  /** The longest task, in ms; 0 where none took 50 ms, which is when browsers start to tell. */
  longest: number;
  /** The longest time between two beats of a timer of 4 ms. */
  gap: number;
}

/** Watches the main thread until the function it returns is called. */
export function watch(): () => Promise<Strain> {
  const strain = { longest: 0, gap: 0 };
  const note = (entries: PerformanceEntryList): void => {
    for (const entry of entries) strain.longest = Math.max(strain.longest, entry.duration);
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ entryTypes: ["longtask"] });
  let last = performance.now();
  const beat = (): void => {
    const now = performance.now();
    strain.gap = Math.max(strain.gap, now - last);
    last = now;
  };
  const timer = setInterval(beat, 4);
  return async () => {
    // A long task is told of after it: the one that is ending now as well.
    await new Promise((resolve) => setTimeout(resolve, 8));
    clearInterval(timer);
    note(observer.takeRecords());
    observer.disconnect();
    return strain;
  };
}
