// An authorization server that others wrote, oidc-provider, in front of a resource of ours; and a person with
// a browser.

import { createServer, type Listener } from "node:http";
import Provider from "oidc-provider";
import { proofOf } from "../src/auth/dpop.js";
import type { LiveGrant } from "../src/auth/refresh.js";
import type { Hands } from "../src/auth/hands.js";

/** Node's own kind of bytes. */
declare const Buffer: { alloc(size: number): Uint8Array };

/** Where both are. */
export interface World {
  issuer: string;
  /** The server that wants a token. */
  url: string;
  /** Requests that the authorization server got, such as "POST /token". */
  requests: string[];
  close(): void;
}

/** Starts a server on a free port of this machine, whose listener may know the port. */
async function serve(listen: (origin: string) => Listener): Promise<{ origin: string; close(): void }> {
  let listener: Listener | undefined;
  const server = createServer((request, response) => listener!(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A test that fails at its start leaves it open.
  server.unref();
  const origin = `http://localhost:${server.address().port}`;
  listener = listen(origin);
  return {
    origin,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function world({ nonces = false } = {}): Promise<World> {
  const requests: string[] = [];
  let resource = "";
  const as = await serve((origin) => {
    const provider = new Provider(origin, {
      clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
      clientDefaults: { token_endpoint_auth_method: "none" },
      findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
      scopes: ["openid", "offline_access", "files", "admin"],
      rotateRefreshToken: true,
      issueRefreshToken: () => true,
      ttl: {
        AccessToken: 600, RefreshToken: 3600, AuthorizationCode: 60, Grant: 3600, Interaction: 600,
        Session: 3600,
      },
      features: {
        devInteractions: { enabled: true },
        registration: { enabled: true },
        revocation: { enabled: true },
        introspection: { enabled: true, allowedPolicy: () => true },
        dPoP: { enabled: true, nonceSecret: Buffer.alloc(32), requireNonce: () => nonces },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          useGrantedResource: () => true,
          getResourceServerInfo: (_: unknown, indicator: string) => {
            if (indicator !== resource) throw new Error("another resource");
            return { scope: "files admin", accessTokenFormat: "opaque" };
          },
        },
      },
      cookies: { keys: ["test"] },
    });
    const callback = provider.callback();
    return (request, response) => {
      requests.push(`${request.method} ${request.url.split("?")[0]}`);
      callback(request, response);
    };
  });
  const rs = await serve((origin) => {
    resource = `${origin}/mcp`;
    return (request, response) => {
      if (request.url === "/.well-known/oauth-protected-resource/mcp") {
        response.writeHead(200, { "content-type": "application/json" }).end(
          JSON.stringify({ resource, authorization_servers: [as.origin], scopes_supported: ["files"] }),
        );
      } else if (request.url === "/mcp") {
        response.writeHead(
          401,
          {
            "www-authenticate": "Bearer " +
              `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="files"`
          },
        ).end();
      } else response.writeHead(404).end();
    };
  });
  return {
    issuer: as.origin,
    url: resource,
    requests,
    close() {
      as.close();
      rs.close();
    },
  };
}

/**
 * Goes to an address as a browser does, signs in, agrees to everything, and gives the address that it comes
 * back to.
 */
export async function person(address: string, login: string, back: string): Promise<string> {
  const cookies = new Map<string, string>();
  let [url, form]: [string, URLSearchParams | undefined] = [address, undefined];
  for (let steps = 0; steps < 20; steps++) {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form ? { method: "POST", body: form } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === "") cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const location = response.headers.get("location");
    form = undefined;
    if (location !== null) {
      url = new URL(location, url).href;
      if (url.startsWith(back)) return url;
      continue;
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} of ${url}: ${text.slice(0, 500)}`);
    const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1];
    const prompt = /name="prompt" value="([^"]+)"/.exec(text)?.[1];
    if (action === undefined || prompt === undefined)
      throw new Error(`no form at ${url}: ${text.slice(0, 500)}`);
    url = new URL(action, url).href;
    form = new URLSearchParams(prompt === "login" ? { prompt, login, password: "x" } : { prompt });
  }
  throw new Error("it goes round in a circle");
}

/** What the authorization server says of a token, asked as its client. */
export async function isActive(
  hands: Hands, issuer: string, { access, client, dpop }: LiveGrant,
): Promise<boolean> {
  const url = `${issuer}/token/introspection`;
  const proof = dpop && (await proofOf(hands, dpop, { method: "POST", url }));
  const response = await fetch(url, {
    method: "POST", headers: proof === undefined ? {} : { dpop: proof },
    body: new URLSearchParams({ token: access.token, client_id: client.clientId }),
  });
  return ((await response.json()) as { active: boolean }).active;
}
