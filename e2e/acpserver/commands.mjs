// What the agent can be told to do. Every command sends updates in the terms of
// ACP v2; a value returned ends the turn.

import { startBackground } from './background.mjs';
import { Question } from './question.mjs';

export const text = value => ({ type: 'text', text: value });
const encode = value => Buffer.from(value).toString('base64');
const number = (words, otherwise) => Number(words[0] ?? otherwise);

function say(session, ...parts) {
    const messageId = session.next('a');
    for (const part of parts) {
        session.emit({ sessionUpdate: 'agent_message_chunk', messageId, content: text(part) });
    }
}

const choices = [
    { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

const form = {
    type: 'object',
    properties: {
        colour: { type: 'string', title: 'Colour', enum: ['red', 'green'] },
        many: { type: 'integer', title: 'How many', minimum: 1, default: 2 },
        gift: { type: 'boolean', title: 'As a gift', default: false },
    },
    required: ['colour'],
};

export const commands = {
    // Anything else: says the command back.
    async echo({ session, command, step }) {
        await step();
        say(session, command.whole);
    },

    // count N: one message of the chunks ⟨1⟩ to ⟨N⟩.
    async count({ session, command, step }) {
        const messageId = session.next('a');
        for (let n = 1; n <= number(command.words, 3); n++) {
            await step();
            session.emit({ sessionUpdate: 'agent_message_chunk', messageId, content: text(`⟨${n}⟩`) });
        }
    },

    // whole: a chunk, and then the whole message in its place.
    async whole({ session, step }) {
        const messageId = session.next('a');
        await step();
        session.emit({ sessionUpdate: 'agent_message_chunk', messageId, content: text('a dra') });
        await step();
        session.emit({ sessionUpdate: 'agent_message', messageId, content: [text('the final text')] });
    },

    // big N: one chunk of N bytes.
    async big({ session, command, step }) {
        await step();
        say(session, 'x'.repeat(number(command.words, 1 << 20)));
    },

    // think N: one thought of N chunks.
    async think({ session, command, step }) {
        const messageId = session.next('t');
        for (let n = 1; n <= number(command.words, 2); n++) {
            await step();
            session.emit({ sessionUpdate: 'agent_thought_chunk', messageId, content: text(`thought ${n}. `) });
        }
    },

    // plan: three entries, done one by one.
    async plan({ session, step }) {
        const planId = session.next('p');
        const names = ['look', 'change', 'check'];
        for (let done = 0; done <= names.length; done++) {
            await step();
            const status = at => (at < done ? 'completed' : at === done ? 'in_progress' : 'pending');
            const entries = names.map((content, at) => ({ content, priority: 'medium', status: status(at) }));
            session.emit({ sessionUpdate: 'plan_update', plan: { type: 'items', planId, entries } });
        }
    },

    // tool: a call with text, a terminal whose output splits a character, a diff.
    async tool({ session, step }) {
        const [toolCallId, terminalId] = [session.next('c'), session.next('x')];
        const call = patch => session.emit({ sessionUpdate: 'tool_call_update', toolCallId, ...patch });
        const add = content => session.emit({ sessionUpdate: 'tool_call_content_chunk', toolCallId, content });
        await step();
        call({ title: 'Edit a file', name: 'edit', kind: 'edit', status: 'pending', rawInput: { path: '/w/a.txt' }, locations: [{ path: '/w/a.txt', line: 1 }] });
        await step();
        call({ status: 'in_progress' });
        await step();
        add({ type: 'content', content: text('reading') });
        await step();
        session.emit({ sessionUpdate: 'terminal_update', terminalId, command: 'make check', cwd: session.cwd });
        add({ type: 'terminal', terminalId });
        const output = Buffer.from('grün\n');
        for (const piece of [output.subarray(0, 3), output.subarray(3)]) {
            await step();
            session.emit({ sessionUpdate: 'terminal_output_chunk', terminalId, data: piece.toString('base64') });
        }
        await step();
        session.emit({ sessionUpdate: 'terminal_update', terminalId, exitStatus: { exitCode: 0 } });
        await step();
        const diff = {
            type: 'diff', changes: [{ operation: 'modify', path: '/w/a.txt' }],
            patch: { format: 'git_patch', text: '--- a/w/a.txt\n+++ b/w/a.txt\n@@ -1 +1 @@\n-one\n+two\n' },
        };
        add(diff);
        call({ status: 'completed', rawOutput: { changed: 1 } });
    },

    // terminal N: a terminal with N bytes of output, 64 KiB at a time.
    async terminal({ session, command, step }) {
        const terminalId = session.next('x');
        session.emit({ sessionUpdate: 'terminal_update', terminalId, command: 'yes', cwd: session.cwd });
        for (let left = number(command.words, 1024); left > 0; left -= 1 << 16) {
            await step();
            session.emit({ sessionUpdate: 'terminal_output_chunk', terminalId, data: encode('y\n'.repeat(Math.min(left, 1 << 16) / 2)) });
        }
        session.emit({ sessionUpdate: 'terminal_update', terminalId, exitStatus: { exitCode: 0 } });
    },

    // permission: asks, and goes on by the answer.
    async permission({ session, step, signal }) {
        const toolCallId = session.next('c');
        const call = patch => session.emit({ sessionUpdate: 'tool_call_update', toolCallId, ...patch });
        await step();
        call({ title: 'Delete the logs', kind: 'delete', status: 'pending' });
        session.tell('requires_action');
        const subject = { toolCallId, title: 'Delete the logs', kind: 'delete' };
        const outcome = await new Question(session, {
            method: 'session/request_permission',
            v2: { title: 'Delete the logs?', description: 'They are 3 days old.', subject: { type: 'tool_call', toolCall: subject }, options: choices },
            v1: { toolCall: subject, options: choices },
        }).ask(signal);
        const chosen = outcome.answer?.outcome;
        if (outcome.cancelled) {
            call({ status: 'cancelled' });
            signal.throwIfAborted();
        }
        session.tell('running');
        await step();
        if (chosen?.outcome === 'selected' && chosen.optionId !== 'no') {
            call({ status: 'completed' });
            say(session, `allowed: ${chosen.optionId}`);
            return;
        }
        call({ status: 'failed' });
        say(session, outcome.refused ? `no answer: ${outcome.refused.message}` : `rejected: ${chosen?.optionId ?? chosen?.outcome}`);
    },

    // ask: a form; says the answer.
    async ask({ session, step, signal }) {
        await step();
        session.tell('requires_action');
        const params = { mode: 'form', message: 'What shall I buy?', requestedSchema: form };
        const { answer, refused } = await new Question(session, { method: 'elicitation/create', v1: params, v2: params }).ask(signal);
        signal.throwIfAborted();
        session.tell('running');
        say(session, `answer: ${JSON.stringify(answer ?? refused.message)}`);
    },

    // url: an elicitation outside of the client; complete once the gate lets it.
    async url({ session, step, signal }) {
        const elicitationId = session.next('e');
        session.tell('requires_action');
        const params = { mode: 'url', elicitationId, url: 'https://login.example/device?code=1', message: 'Log in' };
        const { answer, refused } = await new Question(session, { method: 'elicitation/create', v1: params, v2: params }).ask(signal);
        signal.throwIfAborted();
        await step();
        for (const peer of session.attached) {
            peer.client.notify('elicitation/complete', { elicitationId }).catch(() => {});
        }
        session.tell('running');
        say(session, `login: ${answer?.action ?? refused.message}`);
    },

    // wait, hold: nothing, until the gate (or "hold") opens.
    async wait({ session, command, step, signal }) {
        await (command.gate ? step() : session.memory.pass('hold', signal));
    },
    hold(turn) { return commands.wait(turn); },

    // background N: the turn ends, its work sends N more updates while idle.
    background({ session, command }) { startBackground(session, command); },

    // later: the turn ends, and the agent starts another one by itself.
    later({ session, command }) {
        const { gate } = command;
        session.memory.pass(gate ?? 'later').then(() => session.whenFree(new AbortController().signal, 'later'))
            .then(() => session.run('echo unprompted'));
    },

    // error: the turn fails.
    async error({ session, step }) {
        await step();
        say(session, 'half a sen');
        return { stopReason: 'error', error: { code: -32603, message: 'the model is gone', data: { retry: false } } };
    },

    // stop REASON: the turn ends for that reason.
    async stop({ command, step }) {
        await step();
        return { stopReason: command.words[0] ?? 'max_tokens' };
    },

    // facts: one of each of the updates about the session.
    async facts({ session, step }) {
        session.title = `Session ${session.id}`;
        for (const update of [
            { sessionUpdate: 'usage_update', used: 1200, size: 200000, cost: { amount: 0.05, currency: 'USD' } },
            { sessionUpdate: 'session_info_update', title: session.title, updatedAt: '2026-11-21T12:00:00Z' },
            { sessionUpdate: 'available_commands_update', availableCommands: available },
            { sessionUpdate: 'notice', severity: 'warning', title: 'The model is slow today' },
            { sessionUpdate: 'config_option_update', configOptions: configOptions(session) },
        ]) {
            await step();
            session.emit(update);
        }
    },

    // compact: the history is compacted, with a summary in two chunks.
    async compact({ session, step }) {
        const compactionId = session.next('k');
        const patch = status => session.emit({ sessionUpdate: 'compaction_update', compactionId, status });
        await step();
        patch('in_progress');
        for (const piece of ['We talked ', 'about logs.']) {
            await step();
            session.emit({ sessionUpdate: 'compaction_summary_chunk', compactionId, content: text(piece) });
        }
        await step();
        patch('completed');
    },

    // unknown: an update of a kind that nobody knows.
    async unknown({ session, step }) {
        await step();
        session.emit({ sessionUpdate: '_holdfast.example/weather', sky: 'clear' });
    },
};

export const available = [
    { type: 'command', name: 'count', description: 'Counts.', input: { type: 'text', hint: 'how far' } },
    { type: 'command', name: 'plan', description: 'Makes a plan.' },
];

export function configOptions(session) {
    return [
        {
            configId: 'model', name: 'Model', category: 'model', type: 'select', currentValue: session.config.model,
            options: [{ value: 'fast', name: 'Fast' }, { value: 'deep', name: 'Deep' }],
        },
        { configId: 'careful', name: 'Careful', type: 'boolean', currentValue: session.config.careful },
    ];
}
