import { openStore, wipeAll } from "../src/storage/storage.js";
import { runTests } from "./inchrome.js";
import { contract } from "./storecontract.js";

// The contract of the store against a real IndexedDB; e2e/store_test.go opens
// the page, and puts inchrome.ts where Node's test runner is imported.

contract("IndexedDB", () => {
  // Also ends the stores that the test before has left open.
  const empty = wipeAll();
  return {
    open: async (server, tab, onLost) => {
      await empty;
      return openStore({ server, tab, onLost });
    },
    wipe: wipeAll,
  };
});

declare global {
  var contractResult: Promise<{ ran: number; failures: string[] }>;
}
globalThis.contractResult = runTests();
