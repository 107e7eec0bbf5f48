// The same agent as ACP v1 has it: a prompt is answered when its turn is over,
// history comes with session/load.

import { agent, RequestError } from '@agentclientprotocol/sdk';

import { configOptions } from './commands.mjs';
import { optionToV1 } from './to_v1.mjs';
import { configure, find, page, reopen, textOf } from './v2.mjs';

export function agentV1(peer) {
    const { sessions, memory } = peer;
    const options = session => ({ configOptions: configOptions(session).map(optionToV1) });
    return agent({ name: 'holdfast-test-agent' })
        .onConnect(connection => peer.connected(connection))
        .onRequest('initialize', ({ params }) => {
            peer.initialized('v1', params);
            return {
                protocolVersion: 1, agentInfo: { name: 'holdfast-test-agent', title: 'Test agent', version: '1.0.0' },
                agentCapabilities: {
                    loadSession: true, promptCapabilities: { image: true, embeddedContext: true }, mcpCapabilities: { http: true },
                    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
                },
                authMethods: [],
            };
        })
        .onRequest('session/new', ({ params }) => {
            const session = sessions.create(params);
            session.attach(peer);
            memory.note('session', { session: session.id, peer: peer.number, data: { cwd: session.cwd, mcpServers: session.mcpServers } });
            return { sessionId: session.id, ...options(session) };
        })
        .onRequest('session/list', ({ params }) => page(sessions, params))
        .onRequest('session/load', ({ params }) => {
            const session = reopen(sessions, params);
            memory.note('load', { session: session.id, peer: peer.number });
            peer.calls.clear();
            peer.replay(session);
            session.attach(peer);
            return options(session);
        })
        .onRequest('session/resume', ({ params }) => {
            const session = reopen(sessions, params);
            memory.note('resume', { session: session.id, peer: peer.number, text: '' });
            session.attach(peer);
            return options(session);
        })
        .onRequest('session/prompt', async ({ params, signal }) => {
            const session = find(sessions, params.sessionId);
            const text = textOf(params.prompt);
            session.attach(peer);
            if (text.startsWith('refuse')) {
                throw RequestError.invalidParams(undefined, 'the agent does not take this prompt');
            }
            try {
                await session.whenFree(signal, text);
            } catch {
                return { stopReason: 'cancelled' };
            }
            // v1 agents do not echo what they were just told.
            session.insert(params.prompt, text, peer);
            // The SDK aborts for a client that goes away, too; sessions outlive it.
            const withdrawn = () => setImmediate(() => peer.closed || session.cancel());
            signal.addEventListener('abort', withdrawn, { once: true });
            const end = await session.run(text);
            signal.removeEventListener('abort', withdrawn);
            if (end.stopReason === 'error') {
                throw new RequestError(end.error.code, end.error.message, end.error.data);
            }
            return { stopReason: end.stopReason };
        })
        .onNotification('session/cancel', ({ params }) => {
            memory.note('cancel', { session: params.sessionId, peer: peer.number });
            sessions.get(params.sessionId)?.cancel();
        })
        .onRequest('session/close', ({ params }) => {
            const session = find(sessions, params.sessionId);
            memory.note('close', { session: session.id, peer: peer.number });
            session.stop();
            session.detach(peer);
            return {};
        })
        .onRequest('session/delete', ({ params }) => {
            find(sessions, params.sessionId);
            memory.note('delete', { session: params.sessionId, peer: peer.number });
            sessions.delete(params.sessionId);
            return {};
        })
        .onRequest('session/set_config_option', ({ params }) => {
            const session = find(sessions, params.sessionId);
            configure(session, params);
            return options(session);
        });
}
