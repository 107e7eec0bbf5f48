// The vectors of the core's parsers, as inputs of the wasm: event streams, JSON texts and rows of the
// journal.

import { readdirSync, readFileSync } from "node:fs";
import { OpList } from "../../src/runtime/ops.js";
import { Client } from "./client.js";
import type { Pair } from "./program.js";
import { Script } from "./scripts.js";

const lines = (path: string): string[] => readFileSync(path, "utf8").split("\n").filter(
  (line) => line && !line.startsWith("#"),
);

/** The bytes that a string literal of Go's stands for. */
function unquoted(literal: string): Uint8Array {
  const bytes: number[] = [];
  const put = (text: string): void => void bytes.push(...new TextEncoder().encode(text));
  if (literal.startsWith("`")) put(literal.slice(1, -1));
  else {
    for (
      const [, x, u, octal, short, plain] of literal.slice(1, -1).matchAll(
        /\\x(..)|\\u(....)|\\U(?:........)|\\([0-7]{3})|\\(.)|([^\\]+)/g,
      )
    ) {
      if (x !== undefined) bytes.push(parseInt(x, 16));
      else if (u !== undefined) put(String.fromCharCode(parseInt(u, 16)));
      else if (octal !== undefined) bytes.push(parseInt(octal, 8));
      else if (short !== undefined)
        put(
          (
            { n: "\n", r: "\r", t: "\t", a: "\x07", b: "\b", f: "\f", v: "\v" } as Record<string, string>
          )[short] ??
            short,
        );
      else if (plain !== undefined) put(plain);
      else put("😀"); // \U
    }
  }
  return new Uint8Array(bytes);
}

/** The bodies of event streams. */
export function streams(): Uint8Array[] {
  const folder = "core/sse/testdata/vectors";
  return readdirSync(folder)
    .filter((name) => name !== "README.txt")
    .flatMap((name) => lines(`${folder}/${name}`))
    .filter((line) => line.startsWith("< "))
    .map((line) => unquoted(line.slice(2)));
}

/** Texts that are JSON, and others. */
export function texts(): Uint8Array[] {
  const folder = "core/jsonrpc/testdata";
  const choices = lines(`${folder}/choices.txt`).map(
    (line) => line.slice(line.indexOf(" ") + 1, line.indexOf(" -- ")),
  );
  return [...lines(`${folder}/accept.txt`), ...lines(`${folder}/reject.txt`), ...choices].map(unquoted);
}

/** What a store may hold of one call: each kind of record. */
export function records(): Uint8Array[] {
  const all: Uint8Array[] = [];
  const bytes = (hex = ""): Uint8Array => new Uint8Array(
    (hex.replace("-", "").match(/../g) ?? []).map((byte) => parseInt(byte, 16)),
  );
  let list = new OpList();
  let n = 0;
  for (const line of lines("core/journal/testdata/v1_kinds.txt")) {
    const [mark, plain, secret] = line.split(" ");
    const call = 9 * 2 ** 24 + 1;
    if (mark === "==") [list, n] = [new OpList(), 0];
    else if (mark === "server") list.server({ plain: bytes(plain), secret: bytes(secret) } as never);
    else if (mark === "head" || mark === "session") list.head(call, 2, true, bytes(plain));
    else if (mark === "row")
      list.row(
        call,
        { epoch: 1, n: ++n, plain: bytes(plain), secret: secret === "-" ? null : bytes(secret) } as never,
      );
    else if (mark === "=") all.push(list.bytes());
  }
  return all;
}

/** Plays each as the body of an answer, whole and byte by byte, and each record as what a page finds. */
export function playVectors(pair: Pair): void {
  const json = ["content-type", "application/json"];
  for (const [type, bodies] of [["text/event-stream", streams()], ["application/json", texts()]] as const) {
    for (const body of bodies) {
      for (const pieces of [[body], Array.from(body, (byte) => new Uint8Array([byte]))]) {
        const script = new Script(pair, "mcp");
        script.command("open");
        const { client } = script;
        client.call("tools/call", '{"name":"t"}');
        const [x = 0] = client.begun;
        client.head(x, 200, ["content-type", type]);
        for (const piece of pieces) client.chunk(x, piece);
        client.end(x, 1);
        // And within a message.
        client.call("tools/call", '{"name":"t"}');
        const [y = 0] = client.begun;
        client.head(y, 200, json);
        client.chunk(y, `{"jsonrpc":"2.0","id":${client.exchanges.get(y)?.id},"result":`);
        for (const piece of pieces) client.chunk(y, piece);
        client.chunk(y, "}");
        client.end(y, 1);
        script.end();
      }
    }
  }
  for (const ops of records()) {
    const client = new Client(pair, "mcp", { journal: true });
    client.restore(ops);
    client.input("start");
    client.advance(60_000);
    client.release();
  }
}
