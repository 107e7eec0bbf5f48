// The types that apps see and the words that the core says: where one of them has a
// member that the other has not, this file does not compile.
import type { ClientState } from "../src/base/clientstate.js";
import type {
  AgentStateWord,
  CoreErrorCode,
  CutWord,
  GuaranteeWord,
  ResumptionWord,
  ServerStateWord,
  STORE_REASON,
  StoreReasonWord,
  StreamWord,
  WithdrawalWord,
} from "../src/base/border.js";
import type { ErrorCode } from "../src/base/errors.js";
import type { Guarantee } from "../src/client/events.js";
import type { SessionStatus, WithdrawnReason } from "../src/agent/sessionevents.js";
import type { ResumedEvent, StatusEvent } from "../src/base/streamevents.js";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Within<A, B> = [A] extends [B] ? true : false;

function holds<_ extends true>(): void {}

/** Those that TypeScript names; it takes others, too. */
type Named<T> = T extends string ? (string extends T ? never : T) : never;

holds<Same<Exclude<Guarantee, "survives-reload">, GuaranteeWord>>(); // that one is the host's word
holds<Same<ResumedEvent["outcome"], ResumptionWord>>();
holds<Same<NonNullable<StatusEvent["why"]>, CutWord>>();
holds<Within<StatusEvent["state"] | SessionStatus["state"], StreamWord>>();
holds<Same<keyof typeof STORE_REASON, StoreReasonWord>>();
holds<Within<CoreErrorCode, ErrorCode>>();
// A client that has not begun says nothing; that the network is gone TypeScript says; one that awaits
// somebody's sign-in is in the state that it was in.
holds<Same<ClientState, Exclude<ServerStateWord, "new" | "leaving"> | "offline" | "awaiting_authorization">>();
holds<Same<ServerStateWord, AgentStateWord>>();
// An answer that was given is no withdrawal; that another page carries the session TypeScript says.
holds<Same<Named<WithdrawnReason> | "given", WithdrawalWord | "moved">>();
