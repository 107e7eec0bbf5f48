// One turn: the commands of a prompt, one after the other.
//
// A prompt is "command; command; ...", a command is a word and its arguments.
// "@name" among them is a gate that the command waits at before each update it
// sends; "pause=5" waits that many milliseconds there instead, for soaks.

import { commands } from './commands.mjs';

export function parse(text) {
    return text.split(';').map(part => part.trim()).filter(Boolean).map(part => {
        const [name, ...rest] = part.split(/\s+/);
        const words = rest.filter(word => !word.startsWith('@') && !word.startsWith('pause='));
        return {
            name, words, text: rest.join(' '), whole: part,
            gate: rest.find(word => word.startsWith('@'))?.slice(1),
            pause: Number(rest.find(word => word.startsWith('pause='))?.slice('pause='.length) ?? 0),
        };
    });
}

// runTurn returns how the turn ended: the fields of an idle state.
export async function runTurn(session, turn, text) {
    const { signal } = turn.controller;
    turn.more.push(...parse(text));
    try {
        // begin @name: the prompt is taken, and its turn begins when the gate opens.
        if (turn.more[0]?.name === 'begin') {
            await session.memory.pass(turn.more.shift().gate, signal);
        }
        session.tell('running');
        while (turn.more.length > 0) {
            const command = turn.more.shift();
            const step = stepper(session.memory, command, signal);
            const run = commands[command.name] ?? commands.echo;
            const end = await run({ session, command, signal, step });
            if (end) {
                return end;
            }
        }
        return { stopReason: 'end_turn' };
    } catch (error) {
        if (signal.aborted) {
            return { stopReason: 'cancelled' };
        }
        session.memory.note('bug', { session: session.id, text: String(error.stack) });
        return { stopReason: 'error', error: { code: -32603, message: String(error) } };
    }
}

export function stepper(memory, { gate, pause }, signal) {
    return async () => {
        signal.throwIfAborted();
        if (gate) {
            await memory.pass(gate, signal);
        }
        if (pause > 0) {
            await new Promise(resolve => setTimeout(resolve, pause));
            signal.throwIfAborted();
        }
    };
}
