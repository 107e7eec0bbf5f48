// The door of the store: what the runtime imports, and all it imports.
export { openStore } from "./indexeddb.js";
export { memoryStore } from "./memory.js";
export { placeOf, serverKey } from "./serverkey.js";
export {
  type Committed,
  type Loaded,
  type LoadedCall,
  type LogPlace,
  type ListName,
  LISTS,
  type LogRow,
  type LostKey,
  type NewResult,
  type Op,
  type ResultName,
  type Results,
  type Store,
  StoreError,
  type StoredRow,
  type StoreEvents,
  type StoreOptions,
  type StoreReason,
  type SweepUse,
  UNREADABLE,
  type Usage,
} from "./store.js";
export { wipeAll } from "./wipeall.js";
export { forgetUnopened } from "./write.js";
