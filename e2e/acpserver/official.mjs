// The official client (@agentclientprotocol/sdk, with its own transports), as a
// program that tests and figures run beside another client.
//
//	node official.mjs URL http|ws 1|2
//
// It takes commands on stdin, one JSON per line: {"prompt": TEXT},
// {"permit": OPTION} for the permissions to come, {"resume": SESSION},
// {"list": true}, {"close": true}. Whenever it saw something it prints a report of all so far as
// one line of JSON.

import { createInterface } from 'node:readline';

import * as v1 from '@agentclientprotocol/sdk';
import { createHttpStream } from '@agentclientprotocol/sdk/experimental/http-client';
import * as v2 from '@agentclientprotocol/sdk/experimental/v2';
import { createWebSocketStream } from '@agentclientprotocol/sdk/experimental/ws-client';
import WebSocket from 'ws';

const [url, transport, version] = process.argv.slice(2);
const report = {
    session: '', text: '', kinds: {}, states: [], results: [], errors: [], asked: 0, requests: {}, failed: 0, closed: false,
};
const tell = () => process.stdout.write(`${JSON.stringify(report)}\n`);
const wrong = what => error => {
    report.errors.push(`${what}: ${error?.message ?? error}`);
    tell();
};
const count = (where, key) => { where[key] = (where[key] ?? 0) + 1; };

// What the SDK cannot tell anybody it says on the console.
console.error = (...words) => wrong('console')(words.map(String).join(' '));

const counting = async (input, init) => {
    count(report.requests, init?.method ?? 'GET');
    tell();
    try {
        return await fetch(input, init);
    } catch (error) {
        report.failed++;
        throw error;
    }
};

let permit = 'once';

function update({ params }) {
    const { update: one } = params;
    count(report.kinds, one.sessionUpdate);
    if (one.sessionUpdate === 'agent_message_chunk') {
        report.text += one.content.text;
    }
    if (one.sessionUpdate === 'state_update') {
        report.states.push(one.stopReason ? `${one.state} ${one.stopReason}` : one.state);
    }
    tell();
}

function permission() {
    report.asked++;
    tell();
    return { outcome: { outcome: 'selected', optionId: permit } };
}

const sdk = version === '1' ? v1 : v2;
const stream = transport === 'ws' ? createWebSocketStream(url, { WebSocket }) : createHttpStream(url, { fetch: counting });
const connection = sdk.client({ name: 'official' })
    .onNotification('session/update', update)
    .onRequest('session/request_permission', permission)
    .connect(stream);
connection.closed.then(() => {
    report.closed = true;
    tell();
});

const info = { name: 'official', version: '1.0.0' };
await connection.agent.request('initialize', version === '1'
    ? { protocolVersion: 1, clientInfo: info, clientCapabilities: {} }
    : { protocolVersion: 2, info, capabilities: {} });
const { sessionId } = await connection.agent.request('session/new', { cwd: '/w', mcpServers: [] });
report.session = sessionId;
tell();

const commands = {
    prompt: text => connection.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }).then(result => {
        report.results.push(result.stopReason ?? result.messageId);
        tell();
    }),
    permit: async option => { permit = option; },
    resume: session => connection.agent.request('session/resume', { sessionId: session, cwd: '/w', mcpServers: [], replayFrom: { type: 'start' } })
        .then(() => {
            report.results.push('resumed');
            tell();
        }),
    list: () => connection.agent.request('session/list', {}).then(({ sessions }) => {
        report.results.push(`${sessions.length} sessions`);
        tell();
    }),
    close: async () => connection.close(),
};

createInterface({ input: process.stdin }).on('line', line => {
    for (const [name, argument] of Object.entries(JSON.parse(line))) {
        Promise.resolve().then(() => commands[name](argument)).catch(wrong(name));
    }
});
