import { Call, type CallControl } from "../../client/call.js";
import { type Guarantee, type GuaranteeEvent, isStored, unpacked } from "../../client/events.js";
import { inHost } from "../../client/guarantees.js";
import { AWAITING, type NewCall } from "../../client/corecall.js";
import { EVENT, StreamState } from "../../base/border.js";
import type { HoldfastError } from "../../base/errors.js";
import { Gap } from "../../base/eventqueue.js";
import { errorData } from "../wire/errordata.js";
import type { HostMessage } from "../wire/protocol.js";

/** Event of the core for a call that nothing could continue. */
const LOST = `{"guarantee":"lost-on-reload"}`;

/** Events of a call that waits until a person has signed in, and of a call that waits no more. */
const WAITS = [AWAITING, StreamState.Awaiting] as const;
const GOES_ON = [`{"state":"reconnecting"}`, StreamState.Reconnecting] as const;

/** The way to the page that has a call. */
export interface CallPort {
  /** True if the page takes events now. */
  readonly takes: boolean;
  /** True if the page is there, though the page may be slow. */
  readonly isHere: boolean;
  event(call: number, kind: number, position: number, text: string, stream: number): void;
  send(message: HostMessage, transfer?: Transferable[]): void;
  /** A call that is not kept has ended. */
  ended(call: number): void;
}

/** Facts that hold for all calls of a client. */
export interface CallPlace {
  /** True if kept calls continue where a page is loaded again. */
  readonly outlives: boolean;
  /** True if events of kept calls can be read again. */
  readonly keepsEvents: boolean;
}

/**
 * A call as the host has it for one page: all that happens to it goes to the page, which
 * has the app's. Of events that the page does not take nothing stays here but which they were.
 */
export class PortCall<T> extends Call<T> {
  /** Number of the call on the port. */
  readonly number: number;
  /** True if this page has made the call: questions of the call go to that page first. */
  isPages = false;
  readonly #port: CallPort;
  readonly #place: CallPlace;
  #control: CallControl | undefined;
  #over = false;
  /** True once the page has another user. */
  #isTakenBack = false;
  /** True while the call's reader is slow and others do not wait for it: events are skipped meanwhile. */
  #held = false;
  /** True while the call's reader in the page holds up the stream. */
  #paused = false;
  /** True while the stream waits for the page, which is slow to take events that are kept nowhere. */
  #late = false;
  /** Events that the page did not take. */
  #gap: Gap | undefined;
  /** Last question in the gap, which the page has to have. */
  #input: [position: number, text: string] | undefined;
  /** True if the page shows the call as one that waits until a person has signed in. */
  #awaited = false;

  constructor(number: number, port: CallPort, [method, backlog, manual, sent, made]: NewCall, place: CallPlace) {
    super(method, backlog, manual, sent, made, false);
    this.number = number;
    this.#port = port;
    this.#place = place;
  }

  override get settled(): boolean {
    return this.#over;
  }

  /**
   * Control of the call for its page; undefined before the call is under way, and where the page has another
   * user by now.
   */
  get control(): CallControl | undefined {
    return this.#isTakenBack ? undefined : this.#control;
  }

  /** By what the page says that it has dealt with what it has had: whoever its user is by now. */
  get acking(): Pick<CallControl, "ack" | "acted"> | undefined {
    return this.#control;
  }

  override bind(_id: number, control: CallControl, signal: AbortSignal | undefined, kept = false): void {
    super.bind(0, control, signal, kept);
    this.#control = control;
  }

  /** Guarantee over a reload in this host. The core's own guarantee knows no host. */
  override get guarantee(): Guarantee {
    return this.kept ? this.guaranteeOf(super.guarantee) : super.guarantee;
  }

  /** The same for one that is being made known, which is kept. */
  guaranteeOf(core: Guarantee = "lost-on-reload"): Guarantee {
    return inHost(core, this.#place.outlives);
  }

  /** The event of a guarantee, as it is in this host; one that says why nothing is kept stays as it is. */
  #inHost(said: string): string {
    const { guarantee, why } = JSON.parse(said) as GuaranteeEvent;
    return why === undefined ? JSON.stringify({ guarantee: this.guaranteeOf(guarantee) }) : said;
  }

  /** Reports that the stored call has been deleted: no page could come to it any more. */
  lost(): void {
    if (super.guarantee === "lost-on-reload" && this.kept && !this.#over) this.deliver(EVENT.guarantee, this.position, LOST);
  }

  override deliver(kind: number, position: number, said: string, stream = 0): void {
    if (this.#isTakenBack) return;
    this.heard(kind, position, said, stream);
    const text = kind === EVENT.guarantee && this.kept ? this.#inHost(said) : said;
    if (!this.#gap && !this.#held && (this.#port.takes || this.#waits())) this.#send(kind, position, text, stream);
    else this.#skip(kind, position, text);
  }

  override replayed(position: number, events: Uint8Array): void {
    if (this.#isTakenBack) return;
    this.advanced(position);
    if (!this.#gap && !this.#held && this.#port.takes) {
      const own = events.slice(); // others have them as well
      this.#port.send({ t: "replayed", call: this.number, position, events: own }, [own.buffer]);
    } else {
      for (const raw of unpacked(events)) this.#skip(raw.kind, raw.position, raw.text);
    }
  }

  /**
   * True if the stream waits for the page, as one that is there and slow. A page gets each event that is kept
   * nowhere.
   */
  #waits(): boolean {
    if ((this.kept && this.#place.keepsEvents) || !this.#port.isHere) return false;
    if (!this.#late) {
      this.#late = true;
      this.#tellPaused();
    }
    return true;
  }

  /** True if the call's reader in the page holds up the stream. */
  get isPaused(): boolean {
    return this.#paused;
  }

  /** Its reader in the page cannot keep up, or can again. */
  holdUp(on: boolean): void {
    this.#paused = on;
    this.#tellPaused();
  }

  /** The page takes nothing for now: nothing waits for it. */
  letRun(): void {
    this.#late = false;
    this.holdUp(false);
  }

  #tellPaused(): void {
    this.#control?.pause(0, this.#paused || this.#late);
  }

  #send(kind: number, position: number, text: string, stream: number): void {
    if (kind === EVENT.status) this.#awaited = this.awaits;
    this.#port.event(this.number, kind, position, text, stream);
  }

  #skip(kind: number, position: number, text: string): void {
    (this.#gap ??= new Gap()).add(position, isStored(kind));
    if (kind === EVENT.input) this.#input = [position, text];
  }

  override from(position: number): void {
    if (this.#isTakenBack) return;
    this.advanced(position);
    this.#port.send({ t: "from", call: this.number, position });
  }

  override peeked(outcome: number, text: string): void {
    if (!this.#isTakenBack) this.#port.send({ t: "peeked", call: this.number, outcome, text });
  }

  /**
   * Ends the call with the error, since its user is not the page's any more. The page gets nothing else of
   * the call.
   */
  takenBack(error: HoldfastError): void {
    this.#gap = this.#input = undefined;
    this.#isTakenBack = true;
    this.fail(error);
  }

  /** Skips the events for a slow reader, until the reader continues. */
  hold(held: boolean): void {
    this.#held = held;
    if (!held) this.#tellGap();
  }

  /** The page takes events again. */
  goOn(): void {
    if (this.#late) {
      this.#late = false;
      this.#tellPaused();
    }
    this.#tellGap();
  }

  /** The page learns which events it has not had. */
  #tellGap(): void {
    const gap = this.#gap;
    const input = this.#input;
    if (!gap || this.#held) return;
    this.#gap = this.#input = undefined;
    const { events, from, to } = gap;
    const said = { position: this.position, guarantee: this.guarantee, followed: this.followed };
    this.#port.send({ t: "skipped", call: this.number, events, from, to: Math.max(to, 0), ...said });
    if (this.#over) return;
    const [text, stream] = this.awaits ? WAITS : GOES_ON;
    if (this.awaits !== this.#awaited) this.#send(EVENT.status, this.position, text, stream);
    if (input) this.#port.event(this.number, EVENT.input, ...input, 0);
  }

  override settle(outcome: number, text: string): void {
    if (!this.#ends()) return;
    this.#port.send({ t: "settle", call: this.number, outcome, text });
    this.#letGo();
  }

  override fail(error: HoldfastError): void {
    if (!this.#ends()) return;
    this.#port.send({ t: "fail", call: this.number, error: errorData(error) });
    this.#letGo();
  }

  #letGo(): void {
    if (!this.kept) this.#port.ended(this.number); // the page makes it once more by itself
  }

  override endAs(other: Call<T>, outcome: [outcome: number, text: string] | undefined): void {
    if (outcome) this.settle(...outcome);
    else if (other.failure) this.fail(other.failure);
  }

  #ends(): boolean {
    if (this.#over) return false;
    this.hold(false); // what came before its end
    this.#over = true;
    return true;
  }
}
