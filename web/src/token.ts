import type { TokenProvider } from "./options.js";

/** Asks the app for a token; `text` is that, or says why there is none. Never rejects. */
export async function askForToken(provider: TokenProvider | undefined): Promise<{ ok: boolean; text: string }> {
  try {
    await undefined; // app code never runs within the core's effects
    const token: unknown = await provider?.();
    const ok = typeof token === "string" && token !== "";
    return { ok, text: ok ? token : "it gave no token" };
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : "it rejected" };
  }
}
