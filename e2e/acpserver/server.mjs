// The official ACP server (@agentclientprotocol/sdk, AcpServer) with a scripted
// agent in both versions, over Streamable HTTP and WebSocket on one endpoint,
// behind CORS as a careful host sets it. See doc.go.
//
// It prints one line: the port that it listens on and the port of the control.
// PORT chooses the former; SESSIONS is the folder where sessions are kept; for
// VERSIONS and ASK_ONCE see Options.

import { createServer } from 'node:http';

import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from '@agentclientprotocol/sdk/experimental/node';
import { AcpServer } from '@agentclientprotocol/sdk/experimental/server';
import { agentProtocolRouter } from '@agentclientprotocol/sdk/experimental/v2';
import { WebSocketServer } from 'ws';

import { listenForTests } from './control.mjs';
import { Memory } from './memory.mjs';
import { Peer } from './peer.mjs';
import { Sessions } from './sessions.mjs';
import { Streams } from './streams.mjs';
import { agentV1 } from './v1.mjs';
import { agentV2 } from './v2.mjs';

const memory = new Memory();
const sessions = new Sessions(memory, process.env.SESSIONS, { asksAgain: !process.env.ASK_ONCE });
const streams = new Streams(memory);

const versions = process.env.VERSIONS ?? '1,2';
const acp = new AcpServer({
    createAgent() {
        const peer = new Peer(sessions);
        let router = agentProtocolRouter();
        router = versions.includes('1') ? router.withV1(agentV1(peer)) : router;
        return versions.includes('2') ? router.withV2(agentV2(peer)) : router;
    },
});

// The SDK sets no CORS header itself and answers OPTIONS with 405.
function allow(request, response) {
    if (request.headers.origin) {
        response.setHeader('Access-Control-Allow-Origin', request.headers.origin);
        response.setHeader('Vary', 'Origin');
        response.setHeader('Access-Control-Expose-Headers', 'Acp-Connection-Id');
    }
    if (request.method !== 'OPTIONS') {
        return false;
    }
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE');
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type, Accept, Acp-Connection-Id, Acp-Session-Id, Last-Event-ID, Authorization');
    response.writeHead(204).end();
    return true;
}

async function handle(webRequest, socket) {
    const message = webRequest.method === 'POST' ? await webRequest.clone().json().catch(() => ({})) : {};
    const response = await acp.handleRequest(webRequest);
    const connection = response.headers.get('acp-connection-id') ?? webRequest.headers.get('acp-connection-id') ?? '';
    const session = webRequest.headers.get('acp-session-id') ?? '';
    memory.note('http', {
        method: webRequest.method, rpc: message.method ?? '', id: message.id, connection, session, status: response.status,
    });
    const events = response.headers.get('content-type') === 'text/event-stream';
    return events ? streams.events(response, { connection, session }, socket) : response;
}

const web = createServer((request, response) => {
    if (allow(request, response)) {
        return;
    }
    if (new URL(request.url, 'http://acp').pathname !== '/acp') {
        response.writeHead(404).end();
        return;
    }
    createNodeHttpHandler({ handleRequest: webRequest => handle(webRequest, request.socket) })(request, response);
});

const webSockets = new WebSocketServer({ noServer: true });
const handleUpgrade = webSockets.handleUpgrade.bind(webSockets);
webSockets.handleUpgrade = (request, socket, head, accept) => handleUpgrade(request, socket, head, webSocket => {
    streams.socket(webSocket, socket);
    accept(webSocket);
});
web.on('upgrade', createNodeWebSocketUpgradeHandler(acp, webSockets));

// forget is what a server does that gives up on idle connections.
async function forget(connection) {
    const answer = await acp.handleRequest(new Request('http://acp/acp', { method: 'DELETE', headers: { 'Acp-Connection-Id': connection } }));
    return answer.status;
}

const control = await listenForTests({ memory, sessions, streams, forget });
const listen = () => web.listen(Number(process.env.PORT ?? 0), '127.0.0.1');
// A server that comes back wants its old port, which the kernel may have lent to an
// outgoing connection meanwhile.
web.on('error', error => {
    if (error.code !== 'EADDRINUSE') {
        throw error;
    }
    setTimeout(listen, 20);
});
web.on('listening', () => process.stdout.write(`${web.address().port} ${control}\n`));
listen();
