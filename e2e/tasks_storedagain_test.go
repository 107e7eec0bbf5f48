//go:build !js

package e2e

import (
	"testing"
)

// slowStore holds the stores of the journal, by a transaction of the page's own, until
// the client goes on without them, and lets go.
const slowStore = `(async () => {
	const request = indexedDB.open("holdfast");
	const db = await new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
	const stores = [...db.objectStoreNames];
	const transaction = db.transaction(stores, "readwrite");
	const over = new Promise((resolve) => { transaction.oncomplete = resolve; });
	const hold = () => {
		if (mcp.durability !== "memory") transaction.objectStore(stores[0]).count().onsuccess = hold;
	};
	hold();
	make([{ call: "b", n: 0 }]);
	await over;
	db.close();
})()`

// TestFault468_AskedByATaskOfASlowStoreInChrome: a page takes up a task that asks
// something, and its store is slower than it waits for. The record is rewritten when
// the store answers after all, and that page goes, too: the next one asks, and the
// answer that a person gives there is the one that the server gets.
func TestFault468_AskedByATaskOfASlowStoreInChrome(t *testing.T) {
	t.Parallel()
	dialectList(dialects).each(t, func(t *testing.T, d dialect) {
		s := newTaskStory(t, d, d.policy)
		s.open()
		s.asks()
		s.reload()
		s.wait(`forms["a.1.q1"] && trails.a.guarantee === "durable"`)
		s.eval(slowStore)
		s.wait(`mcp.durability === "indexeddb" && trails.a.guarantee === "durable"`)
		s.reload()
		s.wait(`forms["a.1.q1"]`)
		s.polledAgain(2)
		if n := s.asked(); n != `"3"` {
			t.Errorf("asked %s times by three pages", n)
		}
		s.eval(`forms["a.1.q1"]("mine")`)
		if has := s.ends("", 4); len(has.Answers) != 1 || has.Answers[0] != "mine" {
			t.Errorf("answers %v", has.Answers)
		}
		s.tookOnce(`"mine"`)
	})
}
