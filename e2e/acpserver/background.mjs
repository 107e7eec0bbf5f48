// Work that goes on while the session is idle: a tool call that the client may
// cancel by itself (tool_call/cancel).

import { stepper } from './turn.mjs';

export function startBackground(session, command) {
    const toolCallId = session.next('c');
    const controller = new AbortController();
    const { signal } = controller;
    const step = stepper(session.memory, command, signal);
    const call = patch => session.emit({ sessionUpdate: 'tool_call_update', toolCallId, ...patch });
    const work = { type: 'tool_call', toolCallId };
    session.background.set(toolCallId, { work, controller });
    call({ title: 'Watch the build', kind: 'execute', status: 'in_progress', capabilities: { cancel: {} } });
    const run = async () => {
        // The turn that started it ends first.
        await session.turn?.over;
        for (let n = 1; n <= Number(command.words[0] ?? 3); n++) {
            await step();
            session.emit({ sessionUpdate: 'tool_call_content_chunk', toolCallId, content: { type: 'content', content: { type: 'text', text: `line ${n}\n` } } });
        }
        return 'completed';
    };
    run().catch(() => 'cancelled').then(status => {
        session.background.delete(toolCallId);
        call({ status, capabilities: {} });
        session.memory.note('background', { session: session.id, text: status });
        session.emit({ sessionUpdate: 'state_update', ...session.state, background: session.works() });
    });
}
