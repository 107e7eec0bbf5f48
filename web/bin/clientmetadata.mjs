// The metadata of an OAuth client: the document at `clientMetadataUrl`
// (draft-ietf-oauth-client-id-metadata-document). Authorization servers fetch it.

/** Bytes that an authorization server has to read at least (section 6.6 of the draft). */
const MAX_BYTES = 5 * 1024;

const USAGE = `usage: holdfast-client-metadata ADDRESS --redirect ADDRESS [--redirect ADDRESS] [--name NAME]
       holdfast-client-metadata --check ADDRESS`;

/** Why an address cannot be that of the metadata; empty where it can. */
export function addressFaults(text) {
  if (!URL.canParse(text)) return ["the address is no URL"];
  const url = new URL(text);
  const faults = [];
  if (url.protocol !== "https:") {
    faults.push("the address has to be https, since authorization servers fetch it: on localhost leave clientMetadataUrl out, so that the app registers itself, or pass a clientId");
  }
  if (url.pathname === "/") faults.push("the address has to have a path");
  if (url.hash !== "" || url.username !== "" || url.password !== "") faults.push("the address must have no fragment, user or password");
  if (url.href !== text) faults.push(`the address has to be written as ${url.href}: it is compared character by character`);
  return faults;
}

/** The metadata of an app at an address. */
export function metadataFor(address, redirects, name = "Holdfast") {
  return {
    client_id: address,
    client_name: name,
    client_uri: new URL("/", address).href,
    redirect_uris: redirects,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

/** What is wrong with metadata that is at an address. */
export function metadataFaults(address, json) {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return ["it is no JSON object"];
  const faults = [];
  if (json.client_id !== address) faults.push(`client_id has to be ${address}, character by character`);
  const redirects = json.redirect_uris;
  if (!Array.isArray(redirects) || redirects.length === 0) faults.push("redirect_uris has to have at least one address");
  else {
    for (const redirect of redirects) {
      if (typeof redirect !== "string" || !URL.canParse(redirect)) faults.push(`redirect_uris: ${String(redirect)} is no URL`);
      else if (!isRedirect(new URL(redirect))) faults.push(`redirect_uris: ${redirect} has to be https, or on this machine`);
      else if (new URL(redirect).hash !== "") faults.push(`redirect_uris: ${redirect} must have no fragment`);
    }
  }
  const { token_endpoint_auth_method: method = "none", grant_types: grants = ["authorization_code"], response_types: responses = ["code"] } = json;
  if (method !== "none") faults.push('token_endpoint_auth_method has to be "none": a page can keep no secret');
  for (const name of ["client_secret", "client_secret_expires_at"]) if (name in json) faults.push(`${name} must not be in it: anybody can read it`);
  if (!Array.isArray(grants) || !grants.includes("authorization_code")) faults.push('grant_types has to have "authorization_code"');
  else if (!grants.includes("refresh_token")) faults.push('grant_types lacks "refresh_token": people have to sign in again whenever a token is over');
  if (!Array.isArray(responses) || !responses.includes("code")) faults.push('response_types has to have "code"');
  if (typeof json.client_name !== "string" || json.client_name === "") faults.push("client_name is missing: people see who asks");
  return faults;
}

function isRedirect({ protocol, hostname }) {
  return protocol === "https:" || (protocol === "http:" && (hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.")));
}

/** What is wrong with an answer that has the metadata of an address. */
export async function answerFaults(address, response) {
  if (response.status >= 300 && response.status < 400) return [`it answers with a redirect (${response.status}), which authorization servers do not follow`];
  if (response.status !== 200) return [`it answers with status ${response.status}`];
  const faults = [];
  const type = (response.headers.get("content-type") ?? "none").split(";")[0].trim().toLowerCase();
  if (type !== "application/json" && !/^application\/[^/]+\+json$/.test(type)) faults.push(`its Content-Type is ${type}, and has to be application/json`);
  const text = await response.text();
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MAX_BYTES) faults.push(`it is ${bytes} bytes long, and authorization servers may read no more than ${MAX_BYTES}`);
  try {
    return [...faults, ...metadataFaults(address, JSON.parse(text))];
  } catch {
    return [...faults, "it is no JSON object"];
  }
}

/** Runs the command; resolves with its exit code. */
export async function main(args, { out, err, fetch }) {
  const rest = [];
  const redirects = [];
  let [check, name] = [false, undefined];
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--check") check = true;
    else if (args[i] === "--redirect" && i + 1 < args.length) redirects.push(args[++i]);
    else if (args[i] === "--name" && i + 1 < args.length) name = args[++i];
    else rest.push(args[i]);
  }
  const [address] = rest;
  if (rest.length !== 1 || address.startsWith("-") || check === redirects.length > 0) {
    err(USAGE);
    return 2;
  }
  let faults = addressFaults(address);
  if (check && faults.length === 0) {
    faults = await fetch(address, { redirect: "manual", headers: { accept: "application/json" } }).then(
      (response) => answerFaults(address, response),
      (error) => [`it cannot be reached: ${error.cause?.message ?? error.message}`],
    );
  }
  const made = metadataFor(address, redirects, name);
  if (!check && faults.length === 0) faults = metadataFaults(address, made);
  for (const fault of faults) err(`${address}: ${fault}`);
  if (faults.length > 0) return 1;
  out(check ? `${address}: as it should be` : JSON.stringify(made, undefined, 2));
  return 0;
}
