// The store of one script: what the clients of its tabs have committed. Who may write is not asked: both
// programs are told the same.

import { OpList } from "../../src/runtime/ops.js";
import type { Op } from "../../src/storage/storage.js";

type Of<K extends Op["kind"]> = Op & { kind: K };

export class Store {
  #server: Of<"server"> | undefined;
  readonly #heads = new Map<number, { call: number; epoch: number; plain: Uint8Array }>();
  readonly #rows = new Map<number, Of<"log">[]>();
  /** The commit under way. */
  flying: { ticket: number; ops: readonly Op[] } | undefined;
  #last = 0;

  begin(ticket: number, ops: readonly Op[]): void {
    if (ticket === 0) this.#write(ops); // of a page that is being left
    else this.flying = { ticket, ops };
  }

  /** Ends the commit under way. Returns its ticket. */
  end(isStored: boolean): number {
    const { ticket, ops } = this.flying ?? { ticket: this.#last, ops: [] };
    this.flying = undefined;
    this.#last = ticket;
    if (isStored) this.#write(ops);
    return ticket;
  }

  #write(ops: readonly Op[]): void {
    for (const op of ops) {
      if (op.kind === "server") this.#server = op;
      else if (op.kind === "call") this.#heads.set(op.call, { ...op });
      else if (op.kind === "log") this.#rows.set(op.call, [...(this.#rows.get(op.call) ?? []), op]);
      else if (op.kind === "forget") {
        this.#heads.delete(op.call);
        this.#rows.delete(op.call);
      }
    }
  }

  /** What a page is given: all calls, or that one, which it carries from here on, or looks on at. */
  loaded(owned: boolean, counter?: number): Uint8Array {
    const list = new OpList();
    if (this.#server) list.server({ ...this.#server } as never);
    for (const head of this.#heads.values()) {
      if (counter !== undefined && head.call % 2 ** 24 !== counter) continue;
      if (owned) head.epoch++;
      list.head(head.call, head.epoch, owned, head.plain);
      for (const row of this.#rows.get(head.call) ?? []) list.row(head.call, row as never);
    }
    return list.bytes();
  }
}
