import assert from "node:assert/strict";
import { test } from "node:test";
import type { Handlers, InputContext } from "../src/input/handlers.js";
import type { TokenReply } from "../src/connect/tokenreply.js";
import type { UserStores } from "../src/connect/userstores.js";
import { newestHandlers, NewestTokens, type View, Views } from "../src/connect/views.js";

/** A view that notes what it is asked, and closes when it is told to. */
function view(
  views: Views, name: string, handlers: Handlers = {}, tokens: TokenReply[] = [], users: string[] = [name],
) {
  const over = new AbortController();
  let last = users[0];
  const own: View & { leave(): void; left: boolean } = {
    handlers,
    stores: {
      joins() {},
      token: () => new Promise((resolve) => tokens.length > 0 && resolve(tokens.shift()!)),
      changed: ({ text }: TokenReply) => text !== last && ((last = text), true),
      get user() {
        return last;
      },
      open: async () => ({ journal: undefined, why: name }),
    } as unknown as UserStores,
    over: over.signal,
    left: false,
    leaves: () => {
      own.left = true;
      own.leave();
    },
    leave: () => {
      views.remove(own);
      over.abort();
    },
  };
  views.add(own);
  return own;
}

const context = (signal = new AbortController().signal): InputContext & { saved: unknown[] } => {
  const saved: unknown[] = [];
  return { server: "s", signal, draft: "typed", saveDraft: (value) => saved.push(value), saved };
};

test("Fault 149: the newest view is asked, and the one before it where that one closes, with what was typed by then", async () => {
  const views = new Views();
  const asked: unknown[] = [];
  const elicitation =
    (name: string): NonNullable<Handlers["elicitation"]> =>
    ({ message }, { draft, saveDraft, signal }) => {
      asked.push([name, message, draft]);
      if (name === "old") return { action: "accept", content: { name } };
      saveDraft("more");
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("gone"))));
    };
  view(views, "old", { elicitation: elicitation("old") });
  const handlers = newestHandlers(views);
  const newest = view(views, "new", { elicitation: elicitation("new") });
  assert.deepEqual(Object.keys(handlers), ["elicitation"]);
  const own = context();
  const answer = handlers.elicitation!({ message: "Who?", requestedSchema: {} }, own);
  await Promise.resolve();
  newest.leave();
  assert.deepEqual(await answer, { action: "accept", content: { name: "old" } });
  assert.deepEqual(asked, [["new", "Who?", "typed"], ["old", "Who?", "more"]]);
  assert.deepEqual(own.saved, ["more"]);
});

test("Fault 467: what an app saves of an answer after its user has changed is no draft of the last one", async () => {
  const views = new Views();
  let save!: (value: unknown) => void;
  const asked = view(views, "ada", {
    elicitation: (_, { saveDraft }) => ((save = saveDraft), new Promise(() => {})),
  });
  const own = context();
  void newestHandlers(views).elicitation!({ message: "Who?", requestedSchema: {} }, own);
  await Promise.resolve();
  save("ada's");
  asked.leave();
  save("bob's");
  assert.deepEqual(own.saved, ["ada's"]);
});

test("Fault 208: on a call the view is asked that made it, as long as it is there", async () => {
  const views = new Views();
  const asked: string[] = [];
  const call = {};
  let isThere = true;
  const roots = (name: string): Handlers => ({
    roots: (context) => (assert.equal("call" in context, false), asked.push(name), []),
  });
  const own = view(views, "own", roots("own"));
  own.isAskedOn = (of) => of === call && isThere;
  view(views, "newest", roots("newest"));
  const handlers = newestHandlers(views);
  for (const of of [call, {}, undefined]) await handlers.roots!({ ...context(), call: of } as InputContext);
  isThere = false;
  await handlers.roots!({ ...context(), call } as InputContext);
  assert.deepEqual(asked, ["own", "newest", "newest", "newest"]);
});

test("Fault 149: what a handler throws, and what ends the request, ends it for whoever is asked", async () => {
  const views = new Views();
  view(views, "old", { roots: () => [] });
  view(views, "new", {
    roots: ({ signal }) => {
      if (signal.aborted) throw new Error("over");
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("over"))));
    },
  });
  const { roots } = newestHandlers(views);
  const end = new AbortController();
  const asked = roots!(context(end.signal));
  end.abort();
  await assert.rejects(Promise.resolve(asked), (error) => String(error).includes("over"));
});

test("Fault 149: the newest view gives the token, and one that closes meanwhile gives none", async () => {
  const views = new Views();
  const tokens = new NewestTokens(views, () => {});
  view(views, "old", {}, [{ ok: true, text: "old" }]);
  const newest = view(views, "new"); // its provider never answers
  const given = tokens.token();
  await Promise.resolve();
  newest.leave();
  assert.deepEqual(await given, { ok: true, text: "old" });
  assert.equal(tokens.changed(), false);
  assert.equal((await tokens.open()).why, "old");
});

test("Fault 149: a view with a token of another user leaves the others, and the last one takes the client with it", async () => {
  const views = new Views();
  const users: unknown[] = [];
  const tokens = new NewestTokens(views, (user) => users.push(user));
  const ada = view(views, "ada", {}, [{ ok: true, text: "ada" }, { ok: true, text: "bob" }]);
  const bob = view(views, "bob", {}, [{ ok: true, text: "bob" }], ["ada"]);
  assert.deepEqual(await tokens.token(), { ok: true, text: "ada" });
  assert.deepEqual([bob.left, ada.left, tokens.changed(), users], [true, false, false, []]);
  assert.deepEqual(await tokens.token(), { ok: true, text: "bob" });
  assert.deepEqual([ada.left, tokens.changed(), tokens.changed(), users], [false, true, false, ["bob"]]);
});

