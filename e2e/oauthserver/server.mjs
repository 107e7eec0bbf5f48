// An authorization server that others wrote (oidc-provider), in front of the official
// TypeScript server (@modelcontextprotocol/server): two origins on this machine, with CORS.
//
// With the argument "dpop" tokens are bound to keys (RFC 9449), and both want nonces; with "secret" each
// client that registers gets a secret.
//
// It prints both origins as one line of JSON. What a test wants of them it asks at
// /control of the authorization server, by the names of `controls`.

import { createHash, webcrypto } from 'node:crypto';
import { createServer } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import Provider from 'oidc-provider';

/** Whether tokens have to be bound to keys. */
const bound = process.argv.includes('dpop');
/** How a client shows who it is. */
const clientAuth = process.argv.includes('secret') ? 'client_secret_basic' : 'none';
/** Requests that the authorization server got, such as "POST /token refresh_token /app": the last is the path of the client's redirect address. */
const requests = [];
/** How often each tool ran, by who had it run: "pay ada". */
const ran = [];
/** Who is at the browser; empty: nobody yet, and the page waits. "*": whom the redirect address names behind a hyphen. */
let person = '';
let waiting = [];
/** Whether the authorization server is down, for all but the test. */
let down = false;
/** Whether it takes requests for tokens, and answers none. */
let stalls = false;
/** Whether the MCP server takes requests without a token, which are nobody's. */
let open = false;
/** Access tokens of before are refused: counted, so that a test can end them all. */
let era = 0;
const eras = new Map();
const refreshTokens = [];
let mcp = '';
/** What a client and a server have told each other that is nobody else's business, by itself: what it is. */
const secrets = new Map();
/** What requests said of the page that they come from. */
const referrers = [];

const provider = (origin) => new Provider(origin, {
    clientAuthMethods: clientAuth === 'none' ? ['none', 'client_secret_basic', 'client_secret_post'] : [clientAuth],
    clientDefaults: { token_endpoint_auth_method: clientAuth },
    clientBasedCORS: () => true,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    scopes: ['openid', 'offline_access', 'tools', 'admin'],
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    ttl: { AccessToken: 600, RefreshToken: 3600, AuthorizationCode: 60, Grant: 3600, IdToken: 600, Interaction: 600, Session: 3600 },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope(oidc.params.scope);
        grant.addResourceScope(oidc.params.resource ?? mcp, oidc.params.scope);
        await grant.save();
        return grant;
    },
    features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        revocation: { enabled: true },
        dPoP: { enabled: bound, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true },
        resourceIndicators: {
            enabled: true,
            defaultResource: () => mcp,
            useGrantedResource: () => true,
            getResourceServerInfo: () => ({ scope: 'tools admin', accessTokenFormat: 'opaque' }),
        },
    },
    cookies: { keys: ['test'] },
});

function cors(request, response) {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate, Retry-After, DPoP-Nonce');
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false;
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE, OPTIONS');
    response.setHeader('Access-Control-Allow-Headers', request.headers['access-control-request-headers'] ?? '*');
    response.writeHead(204).end();
    return true;
}

async function bodyOf(request) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
}

/** Notes what of this is a secret, by the names of OAuth. */
function noteSecrets(fields) {
    for (const name of ['access_token', 'refresh_token', 'id_token', 'client_secret', 'registration_access_token', 'code', 'code_verifier']) {
        if (typeof fields?.[name] === 'string') secrets.set(fields[name], name);
    }
}

/** Notes the secrets that a request has, and those that its answer will have. */
function overhear(request, response) {
    const { dpop, authorization = '', referer } = request.headers;
    if (dpop) secrets.set(dpop, 'proof');
    if (authorization.startsWith('Basic ')) secrets.set(authorization.slice('Basic '.length), 'credentials');
    if (referer) referrers.push(referer);
    const end = response.end.bind(response);
    response.end = (body, ...more) => {
        const [nonce, location] = [response.getHeader('dpop-nonce'), response.getHeader('location')];
        if (nonce) secrets.set(nonce, 'nonce');
        if (location) noteSecrets(Object.fromEntries(new URL(location, issuer).searchParams));
        if (String(response.getHeader('content-type')).startsWith('application/json')) noteSecrets(JSON.parse(body || 'null'));
        return end(body, ...more);
    };
}

function listen(make) {
    return new Promise(resolve => {
        let handle;
        const server = createServer((request, response) => handle(request, response));
        server.listen(0, '127.0.0.1', () => {
            const origin = `http://127.0.0.1:${server.address().port}`;
            handle = make(origin);
            resolve(origin);
        });
    });
}

/** What a test can ask for: /control?NAME=VALUE. */
const controls = {
    person(name) {
        person = name;
        for (const answer of waiting.splice(0)) answer();
    },
    expire: () => { era++; },
    async revoke() {
        era++;
        for (const token of refreshTokens.splice(0)) await token.destroy();
    },
    async user(token) {
        const found = await as.AccessToken.find(token);
        return found && eras.get(found.jti) === era ? [found.accountId] : [];
    },
    down(yes) {
        down = yes === 'yes';
    },
    stalls(yes) {
        stalls = yes === 'yes';
    },
    open(yes) {
        open = yes === 'yes';
    },
    requests: () => requests,
    ran: () => ran,
    secrets: () => [...secrets].flatMap(([text, what]) => [what, text]),
    referrers: () => referrers,
};

let as;
const issuer = await listen(origin => {
    as = provider(origin);
    const serve = as.callback();
    const interact = async (request, response, url) => {
        if (url.search === '?wait') {
            if (person === '') await new Promise(resolve => waiting.push(resolve));
            response.writeHead(204).end();
        } else if (person === '') {
            response.writeHead(200, { 'content-type': 'text/html' });
            response.end('<title>Who are you?</title><script>fetch("?wait").then(() => location.replace(location.pathname))</script>');
        } else {
            const { prompt, params } = await as.interactionDetails(request, response);
            const accountId = person === '*' ? params.redirect_uri.split('-').at(-1) : person;
            // Both at once: what was agreed on is not looked up by a cookie, which another window may have changed.
            const agrees = prompt.name === 'consent' ? { consent: {} } : { login: { accountId }, consent: {} };
            await as.interactionFinished(request, response, person === 'nobody' ? { error: 'access_denied' } : agrees);
        }
    };
    as.on('access_token.saved', token => eras.set(token.jti, era));
    for (const event of ['authorization.error', 'server_error']) as.on(event, (_, error) => process.stderr.write(`${event}: ${error} ${error.error_description ?? ''} ${error.error_detail ?? ''}\n`));
    as.on('refresh_token.saved', token => refreshTokens.push(token));
    return async (request, response) => {
        const url = new URL(request.url, origin);
        if (url.pathname === '/control') {
            const [[name, value]] = url.searchParams;
            response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await controls[name](value) ?? null));
            return;
        }
        if (cors(request, response)) return;
        overhear(request, response);
        if (down) {
            requests.push('down');
            return response.writeHead(503).end();
        }
        const of = async id => {
            const client = id && await as.Client.find(id);
            return client ? ` ${new URL(client.redirectUris[0]).pathname}` : '';
        };
        if (stalls && url.pathname === '/token') return requests.push(`stalled${await of(new URLSearchParams(await bodyOf(request)).get('client_id'))}`);
        if (url.pathname.startsWith('/interaction/')) return interact(request, response, url);
        // Each sign-in is asked for: who was there last may not be who is there now.
        if (/^\/auth(\/|$)/.test(url.pathname) && request.headers.cookie) request.headers.cookie = request.headers.cookie.replace(/_session(\.legacy)?(\.sig)?=[^;]*;? ?/g, '');
        if (url.pathname === '/token' && request.method === 'POST') {
            const body = await bodyOf(request);
            const fields = Object.fromEntries(new URLSearchParams(body));
            requests.push(`POST /token ${fields.grant_type}${await of(fields.client_id)}`);
            request.body = body;
            noteSecrets(fields);
        } else requests.push(`${request.method} ${url.pathname}${await of(url.searchParams.get('client_id'))}`);
        serve(request, response);
    };
});

const NONCE = 'nonce-of-the-resource';
const proofs = new Set();

/** What is wrong with the proof of possession of a request; undefined for nothing. */
async function wrongProof(request, token, thumbprint) {
    const [header, payload, signature] = (request.headers.dpop ?? '').split('.');
    if (!signature) return 'invalid_token';
    const read = part => JSON.parse(Buffer.from(part, 'base64url'));
    const { typ, alg, jwk: { crv, kty, x, y } } = read(header);
    const { jti, htm, htu, ath, nonce } = read(payload);
    if (nonce !== NONCE) return 'use_dpop_nonce';
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const key = await webcrypto.subtle.importKey('jwk', { crv, kty, x, y }, algorithm, false, ['verify']);
    const signed = await webcrypto.subtle.verify(algorithm, key, Buffer.from(signature, 'base64url'), Buffer.from(`${header}.${payload}`));
    const digest = text => createHash('sha256').update(text).digest('base64url');
    const good = signed && typ === 'dpop+jwt' && alg === 'ES256' && htm === request.method && htu === mcp && ath === digest(token) &&
        digest(JSON.stringify({ crv, kty, x, y })) === thumbprint && !proofs.has(jti);
    proofs.add(jti);
    return good ? undefined : 'invalid_dpop_proof';
}

const object = (properties, ...required) => fromJsonSchema({ type: 'object', properties, required });

function makeServer() {
    const server = new McpServer({ name: 'holdfast-signed-in', version: '1.0.0' }, { capabilities: { tools: {} } });
    for (const name of ['pay', 'admin']) {
        server.registerTool(name, { title: name, description: 'Runs, and says for whom.', inputSchema: object({ what: { type: 'string' } }) }, (_, context) => {
            const who = context.http?.authInfo?.clientId;
            ran.push(`${name} ${who}`);
            return { content: [{ type: 'text', text: who }] };
        });
    }
    return server;
}

await listen(origin => {
    mcp = `${origin}/mcp`;
    const handler = createMcpHandler(makeServer, { onerror: error => process.stderr.write(`${error}\n`) });
    const serve = toNodeHandler(handler);
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    const refuse = (response, status, more) => {
        response.writeHead(status, { 'www-authenticate': `${bound ? 'DPoP algs="ES256", ' : 'Bearer '}${more}, resource_metadata="${metadata}"`, ...bound && { 'dpop-nonce': NONCE } }).end();
    };
    return async (request, response) => {
        if (cors(request, response)) return;
        if (request.url === '/.well-known/oauth-protected-resource/mcp') {
            response.writeHead(200, { 'content-type': 'application/json' });
            response.end(JSON.stringify({ resource: mcp, authorization_servers: [issuer], scopes_supported: ['openid', 'tools'], dpop_bound_access_tokens_required: bound }));
            return;
        }
        if (request.url !== '/mcp') return response.writeHead(404).end();
        if (request.headers.dpop) secrets.set(request.headers.dpop, 'proof');
        if (request.headers.referer) referrers.push(request.headers.referer);
        if (bound) secrets.set(NONCE, 'nonce of the resource');
        const token = (bound ? /^DPoP (.+)$/ : /^Bearer (.+)$/).exec(request.headers.authorization ?? '')?.[1];
        if (open && !request.headers.authorization) {
            const body = await bodyOf(request);
            request.auth = { token: '', clientId: 'nobody', scopes: [] };
            return serve(request, response, body === '' ? undefined : JSON.parse(body));
        }
        const found = token && await as.AccessToken.find(token);
        const wrong = !found || eras.get(found.jti) !== era ? 'invalid_token' : bound ? await wrongProof(request, token, found.jkt) : undefined;
        if (wrong) {
            await bodyOf(request);
            return refuse(response, 401, `${token ? `error="${wrong}", ` : ''}scope="openid tools"`);
        }
        const body = await bodyOf(request);
        if (/"name":"admin"/.test(body) && !(found.scope ?? '').split(' ').includes('admin')) {
            return refuse(response, 403, 'error="insufficient_scope", scope="admin"');
        }
        request.auth = { token, clientId: found.accountId, scopes: (found.scope ?? '').split(' ') };
        serve(request, response, body === '' ? undefined : JSON.parse(body));
    };
});
process.stdout.write(`${JSON.stringify({ issuer, mcp })}\n`);
