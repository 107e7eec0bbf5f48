// The agent as ACP v2 has it.

import { agent, RequestError } from '@agentclientprotocol/sdk/experimental/v2';

import { available, configOptions } from './commands.mjs';

export const textOf = prompt => prompt.find(block => block.type === 'text')?.text ?? '';

const notFound = sessionId => new RequestError(-32002, 'Resource not found', { sessionId });
const invalid = message => RequestError.invalidParams(undefined, message);

export function find(sessions, sessionId) {
    const session = sessions.get(sessionId);
    if (!session) {
        throw notFound(sessionId);
    }
    return session;
}

// reopen is what resume and load have in common: the folder has to be the
// session's own.
export function reopen(sessions, params) {
    const session = find(sessions, params.sessionId);
    if (params.cwd !== session.cwd) {
        throw invalid(`the session's cwd is ${session.cwd}`);
    }
    session.mcpServers = params.mcpServers ?? [];
    session.additionalDirectories = params.additionalDirectories ?? [];
    return session;
}

export function configure(session, { configId, value }) {
    const option = configOptions(session).find(one => one.configId === configId);
    const known = option?.type === 'boolean' ? typeof value === 'boolean' : option?.options.some(one => one.value === value);
    if (!known) {
        throw invalid(`no option ${configId} with that value`);
    }
    session.config[configId] = value;
    session.memory.note('config', { session: session.id, text: configId, data: value });
}

export const described = session => ({
    sessionId: session.id, cwd: session.cwd, title: session.title, additionalDirectories: session.additionalDirectories,
});

// page gives out two sessions at a time, so that clients have to follow cursors.
export function page(sessions, { cwd, cursor }) {
    const from = Number(cursor ?? 0);
    if (!Number.isInteger(from) || from < 0) {
        throw invalid('unknown cursor');
    }
    const all = sessions.list(cwd);
    const more = from + 2 < all.length ? { nextCursor: String(from + 2) } : {};
    return { sessions: all.slice(from, from + 2).map(described), ...more };
}

export function agentV2(peer) {
    const { sessions, memory } = peer;
    return agent({ name: 'holdfast-test-agent' })
        .onConnect(connection => peer.connected(connection))
        .onRequest('initialize', ({ params }) => {
            peer.initialized('v2', params);
            return {
                protocolVersion: 2, info: { name: 'holdfast-test-agent', title: 'Test agent', version: '1.0.0' },
                capabilities: { session: { prompt: { image: {}, embeddedContext: {} }, mcp: { http: {} }, delete: {}, additionalDirectories: {} } },
                authMethods: [],
            };
        })
        .onRequest('session/new', ({ params }) => {
            const session = sessions.create(params);
            session.attach(peer);
            memory.note('session', { session: session.id, peer: peer.number, data: { cwd: session.cwd, mcpServers: session.mcpServers } });
            return { sessionId: session.id, configOptions: configOptions(session), availableCommands: available };
        })
        .onRequest('session/list', ({ params }) => page(sessions, params))
        .onRequest('session/resume', ({ params }) => {
            const session = reopen(sessions, params);
            const replay = params.replayFrom?.type;
            if (replay !== undefined && replay !== 'start') {
                throw invalid('unknown replayFrom');
            }
            memory.note('resume', { session: session.id, peer: peer.number, text: replay ?? '' });
            if (replay === 'start') {
                peer.replay(session);
            }
            peer.update(session, { sessionUpdate: 'state_update', ...session.state, background: session.works() });
            session.attach(peer);
            return { configOptions: configOptions(session), availableCommands: available };
        })
        .onRequest('session/prompt', async ({ params, signal }) => {
            const session = find(sessions, params.sessionId);
            const text = textOf(params.prompt);
            session.attach(peer);
            if (text.startsWith('refuse')) {
                memory.note('refused', { session: session.id, text });
                throw invalid('the agent does not take this prompt');
            }
            if (text.startsWith('now ') && session.turn) {
                const messageId = session.insert(params.prompt, text);
                session.turn.add(text.slice('now '.length));
                return { messageId };
            }
            try {
                await session.whenFree(signal, text);
            } catch {
                throw new RequestError(-32800, 'Request cancelled');
            }
            const messageId = session.insert(params.prompt, text);
            session.run(text);
            return { messageId };
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
            return { configOptions: configOptions(session) };
        })
        .onRequest('tool_call/cancel', ({ params }) => {
            const work = find(sessions, params.sessionId).background.get(params.toolCallId);
            if (!work) {
                throw invalid('that tool call cannot be cancelled');
            }
            memory.note('tool-cancel', { session: params.sessionId, text: params.toolCallId });
            work.controller.abort(new Error('cancelled'));
            return {};
        });
}
