// The options of connect for a scenario of auth/*: what the suite hands out, and nothing else.
import { oauth, oauthProgram } from "/holdfast.mjs";

/** The address that the suite takes for the metadata of its client. Nobody fetches it. */
const METADATA = "https://conformance-test.local/client-metadata.json";

/** How a program signs in, by the scenario; `context` has what it signs in with. */
const programs = {
  "auth/client-credentials-basic": ({ client_id: clientId, client_secret: clientSecret }) =>
    oauthProgram.clientCredentials({ clientId, clientSecret }),
  "auth/client-credentials-jwt": ({ client_id: clientId, private_key_pem: privateKey, signing_algorithm: algorithm }) =>
    oauthProgram.clientCredentials({ clientId, privateKey, algorithm }),
  "auth/enterprise-managed-authorization": (context) =>
    oauthProgram.enterprise({
      clientId: context.client_id,
      clientSecret: context.client_secret,
      provider: { tokenEndpoint: context.idp_token_endpoint, clientId: context.idp_client_id, idToken: () => context.idp_id_token },
    }),
  "auth/wif-jwt-bearer": ({ valid_jwt: assertion }) => oauthProgram.workload({ assertion: () => assertion }),
};

/** What an app would say of itself, by the scenario. */
const people = {
  "auth/pre-registration": ({ client_id: clientId, client_secret: clientSecret }) => ({ clientId, clientSecret }),
  "auth/dpop": () => ({ dpop: true }),
  "auth/dpop-nonce": () => ({ dpop: true }),
};

/**
 * What else an app says that goes on where the authorization server changes: no token of the suite's says
 * whose it is, so that whoever signs in at another server would count as another user.
 */
const ONE_USER = { "auth/authorization-server-migration": { principal: "the only one" } };

/** The options for a task: { scenario, context, interaction }. The user is whoever follows the redirect. */
export function authorization({ scenario, context = {}, interaction }) {
  const program = programs[scenario];
  if (program) return { auth: program(context) };
  const own = people[scenario]?.(context) ?? {};
  return { auth: oauth({ clientMetadataUrl: METADATA, interaction, ...own }), ...ONE_USER[scenario] };
}
