import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeOps, OpList } from "../src/runtime/ops.js";
import type { LoadedCall } from "../src/storage/storage.js";

const call = (id: number, bytes: number): LoadedCall => ({
  call: id,
  epoch: 3,
  owned: true,
  owner: "a",
  ended: false,
  plain: new Uint8Array(10).fill(id),
  acked: id === 7 ? 12 : 0,
  rows: [1, 2].map(
    (n) =>
      ({ epoch: 2, n, plain: new Uint8Array(bytes).fill(n), secret: n === 2 ? new Uint8Array([7]) : null }),
  ),
});

test("a list comes in pieces that end where calls do, and says the same in all", () => {
  const list = new OpList().server({ plain: new Uint8Array([1]), secret: null });
  for (let id = 1; id <= 20; id++) list.call(call(id, id === 9 ? 5_000 : 100));
  const pieces = list.pieces(1_000);
  assert.deepEqual(pieces.flatMap((piece) => decodeOps(piece)), decodeOps(list.bytes()));
  assert.equal(decodeOps(list.bytes()).length, 1 + 20 * 3 + 1); // that of what the app is done with
  for (const [i, piece] of pieces.entries()) {
    const ops = decodeOps(piece);
    assert.equal(ops[0]!.kind, i === 0 ? "server" : "call");
    assert.ok(
      piece.length <= 1_000 || ops.filter((op) => op.kind === "call").length === 1, `${piece.length} bytes`,
    );
  }
  assert.ok(pieces.length > 5, `${pieces.length}`);
  assert.equal(list.pieces(Infinity).length, 1);
  assert.deepEqual(new OpList().pieces(10), []);
  assert.equal(new OpList().bytes().length, 0);
});

test("Fault 790: how a call had ended, and that an app was handed it, comes through the store", () => {
  for (const outcome of [0, 1, 6, 16 + 1, 16 + 15]) {
    const [op] = decodeOps(new OpList().forget(7, outcome).bytes());
    assert.equal(op?.kind === "forget" && op.outcome, outcome);
  }
});

test("a list's bytes are in a buffer of their own", () => {
  const bytes = new OpList().forget(2 ** 40 + 5, 2).bytes();
  assert.equal(bytes.byteLength, bytes.buffer.byteLength);
  assert.deepEqual(
    decodeOps(bytes), [{ kind: "forget", call: 2 ** 40 + 5, mine: false, awaited: false, outcome: 2 }],
  );
});
