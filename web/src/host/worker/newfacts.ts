/** How long facts of a client that nothing tells of, its counters, may be behind, in ms. */
const BEHIND = 50;

/** Tells a page what it does not know yet of a client. */
export class NewFacts {
  readonly #facts: () => Readonly<Record<string, unknown>> | undefined;
  readonly #tell: (news: object) => void;
  /** Facts that the page knows, as JSON by name. */
  readonly #said = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `facts` gives what is known now; undefined where there is no client. */
  constructor(facts: () => Readonly<Record<string, unknown>> | undefined, tell: (news: object) => void) {
    this.#facts = facts;
    this.#tell = tell;
  }

  /** Something has happened that facts may follow from. */
  touched(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.tell();
    }, BEHIND);
  }

  /** The page may not have heard what it was told: all is said once more with what is new. */
  repeatAll(): void {
    this.#said.clear();
  }

  /** Tells the page what is new. */
  tell(): void {
    const news: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(this.#facts() ?? {})) {
      const text = JSON.stringify(value) ?? "";
      if (this.#said.get(name) === text) continue;
      this.#said.set(name, text);
      news[name] = value;
    }
    if (Object.keys(news).length > 0) this.#tell(news);
  }

  /** The page hears no more. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
