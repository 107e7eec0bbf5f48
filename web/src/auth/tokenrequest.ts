// A request to the token endpoint, or to the one that revokes: a form, the client's credentials, a proof.

import { ask } from "./answers.js";
import { type DPoPKey, proofOf, proofRefused } from "./dpop.js";
import { AuthFailure, denied, denialOf, type Leg, originOf } from "./failure.js";
import type { Hands } from "./hands.js";
import type { Registration } from "./registration.js";

/** Whose request it is. */
export interface Requester {
  readonly client: Registration;
  readonly dpop?: DPoPKey | undefined;
}

/**
 * Sends a form, and gives the object of a 2xx answer (empty where it has none; some servers
 * say no with 200 as well). A wish for a nonce is granted once. Throws `oauth_denied`, with the registered
 * code; `http_error` for other statuses.
 */
export async function tokenRequest(
  hands: Hands,
  leg: Leg,
  endpoint: string,
  { client, dpop }: Requester,
  form: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { headers, body } = authenticated(client, form);
  for (let nonces = 0; ; nonces++) {
    // sent again: its own, since nothing came between
    const nonce = hands.nonces.get("authorization", endpoint);
    const proof = dpop && (await proofOf(hands, dpop, { method: "POST", url: endpoint, nonce }));
    const { status, json, headers: answered } = await ask(hands, leg, endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded", ...headers,
        ...(proof === undefined ? {} : { dpop: proof })
      },
      body,
      allow: [...Object.keys(headers), ...(dpop ? ["dpop"] : [])],
    });
    const fresh = dpop && hands.nonces.note("authorization", endpoint, answered, nonce);
    if (status >= 200 && status < 300 && (json?.error === undefined || json.access_token !== undefined))
      return json ?? {};
    const denial = denialOf(json?.error);
    if (denial === "use_dpop_nonce" && fresh !== undefined && nonces === 0) continue;
    if (denial === "use_dpop_nonce" || denial === "invalid_dpop_proof") throw proofRefused();
    if (status >= 500 || status === 429)
      throw new AuthFailure(leg, {
        code: "http_error", status, message: `${originOf(endpoint)} answered ${status}`, retryable: true,
      });
    if (json?.error !== undefined) throw denied(leg, json.error, status);
    throw new AuthFailure(leg, {
      code: "http_error", status,
      message: `${originOf(endpoint)} answered ${status}, without an error code of OAuth`,
    });
  }
}

/** The form and the header fields that show who the client is (RFC 6749 section 2.3.1). */
export function authenticated(
  client: Registration, form: Readonly<Record<string, string | undefined>>,
): { headers: Record<string, string>; body: string } {
  const { clientId, clientSecret, authMethod } = client;
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) fields.set(name, value);
  if (authMethod === "client_secret_basic" && clientSecret !== undefined) {
    // Both are form-encoded before they are joined, so that a colon cannot end the id.
    return {
      headers: { authorization: `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}` },
      body: fields.toString(),
    };
  }
  // Without an id it is nobody's request but its assertion's.
  if (clientId !== "") fields.set("client_id", clientId);
  if (authMethod === "client_secret_post" && clientSecret !== undefined)
    fields.set("client_secret", clientSecret);
  return { headers: {}, body: fields.toString() };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ _: text }).toString().slice(2);
}
