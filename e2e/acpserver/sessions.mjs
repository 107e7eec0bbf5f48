// The agent's sessions: what was said in them, who is attached, what runs. They
// are kept in the terms of ACP v2; each peer translates for its own version.
//
// Sessions outlive connections, and the process if a folder is given: one file
// of JSON lines per session.

import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { parse, runTurn } from './turn.mjs';

export class Sessions {
    #all = new Map();
    #made = 0;

    constructor(memory, folder, { asksAgain }) {
        this.asksAgain = asksAgain;
        this.memory = memory;
        this.folder = folder;
        if (folder) {
            mkdirSync(folder, { recursive: true });
            for (const name of readdirSync(folder)) {
                this.#read(name.replace(/\.jsonl$/, ''), readFileSync(join(folder, name), 'utf8'));
            }
        }
    }

    #read(id, text) {
        const [head, ...lines] = text.trimEnd().split('\n').map(line => JSON.parse(line));
        const session = new Session(this, id, head);
        session.history = lines.filter(update => !passing.has(update.sessionUpdate));
        session.recover(lines.findLast(update => update.sessionUpdate === 'state_update'));
        this.#all.set(id, session);
        this.#made = Math.max(this.#made, Number(id.slice(1)));
    }

    file(id) {
        return this.folder && join(this.folder, `${id}.jsonl`);
    }

    create({ cwd, mcpServers, additionalDirectories }) {
        const id = `s${++this.#made}`;
        const head = { cwd, mcpServers, additionalDirectories };
        const session = new Session(this, id, head);
        this.#all.set(id, session);
        session.write(head);
        return session;
    }

    get(id) { return this.#all.get(id); }

    list(cwd) { return [...this.#all.values()].filter(session => !cwd || session.cwd === cwd); }

    delete(id) {
        this.#all.get(id)?.stop();
        if (this.#all.delete(id) && this.folder) {
            rmSync(this.file(id), { force: true });
        }
    }
}

// What is not part of a conversation is not kept: the state is told by itself,
// and a notice is live only (schema of v2).
const passing = new Set(['state_update', 'notice']);

export class Session {
    history = [];
    attached = new Set();
    state = { state: 'idle' };
    turn = null;
    held = [];
    questions = new Set();
    background = new Map(); // id -> { work, controller }
    config = { model: 'fast', careful: false };
    title = null;
    #ids = {};

    constructor(all, id, { cwd, mcpServers, additionalDirectories }) {
        this.all = all;
        this.id = id;
        this.cwd = cwd;
        this.mcpServers = mcpServers ?? [];
        this.additionalDirectories = additionalDirectories ?? [];
    }

    get memory() { return this.all.memory; }

    write(line) {
        const file = this.all.file(this.id);
        if (file) {
            appendFileSync(file, `${JSON.stringify(line)}\n`);
        }
    }

    // recover makes the ids go on, and ends the turn that the process died in.
    recover(last) {
        if (last && last.state !== 'idle') {
            this.state = { state: 'idle', stopReason: 'error', error: { code: -32603, message: 'the agent was restarted' } };
        } else if (last) {
            this.state = { state: 'idle', stopReason: last.stopReason, error: last.error };
        }
        for (const update of this.history) {
            for (const key of ['messageId', 'toolCallId', 'terminalId', 'compactionId']) {
                const [, letter, number] = /^([a-z])(\d+)$/.exec(update[key] ?? '') ?? [];
                if (letter) {
                    this.#ids[letter] = Math.max(this.#ids[letter] ?? 0, Number(number));
                }
            }
            this.title = update.sessionUpdate === 'session_info_update' ? update.title : this.title;
        }
    }

    next(letter) {
        this.#ids[letter] = (this.#ids[letter] ?? 0) + 1;
        return `${letter}${this.#ids[letter]}`;
    }

    // emit keeps an update and tells it to everybody attached, but for whom it
    // comes from.
    emit(update, from) {
        if (update.sessionUpdate === 'state_update') {
            const { sessionUpdate: _, ...state } = update;
            this.state = state;
        }
        if (!passing.has(update.sessionUpdate)) {
            this.history.push(update);
        }
        this.write(update);
        for (const peer of this.attached) {
            if (peer !== from) {
                peer.update(this, update);
            }
        }
    }

    tell(state, more = {}) {
        this.emit({ sessionUpdate: 'state_update', state, ...more, background: this.works() });
    }

    works() { return [...this.background.values()].map(({ work }) => work); }

    // attach makes a peer hear of the session from now on. Questions that wait
    // for an answer are asked again, because a new connection does not inherit
    // them; nothing says that agents have to.
    attach(peer) {
        if (this.attached.has(peer)) {
            return;
        }
        this.attached.add(peer);
        for (const question of this.all.asksAgain ? this.questions : []) {
            question.put(peer);
        }
    }

    detach(peer) {
        this.attached.delete(peer);
        for (const question of this.questions) {
            question.withdraw(peer);
        }
    }

    // insert puts a message into the conversation and answers with its id.
    insert(content, text, from) {
        const messageId = this.next('u');
        this.memory.note('prompt', { session: this.id, text, message: messageId });
        this.emit({ sessionUpdate: 'user_message', messageId, content }, from);
        return messageId;
    }

    // run starts a turn. Nothing of it leaves before the prompt's answer had its
    // chance, which is the usual order; a test for the other has a scripted peer.
    run(text) {
        const turn = { controller: new AbortController(), more: [], add: more => turn.more.push(...parse(more)) };
        this.turn = turn;
        turn.over = new Promise(resolve => setImmediate(async () => {
            const end = await runTurn(this, turn, text);
            this.turn = null;
            this.memory.note('idle', { session: this.id, text: end.stopReason });
            this.tell('idle', end);
            resolve(end);
            this.held.shift()?.insert();
        }));
        return turn.over;
    }

    // whenFree resolves when the session's turn ends and every prompt held
    // before is inserted. It rejects when the prompt is withdrawn.
    whenFree(signal, text) {
        if (!this.turn && this.held.length === 0) {
            return Promise.resolve();
        }
        this.memory.note('held', { session: this.id, text });
        return new Promise((resolve, reject) => {
            const prompt = {
                insert: resolve,
                withdraw: () => {
                    this.held = this.held.filter(other => other !== prompt);
                    this.memory.note('withdrawn', { session: this.id, text });
                    reject(new Error('withdrawn'));
                },
            };
            this.held.push(prompt);
            signal.addEventListener('abort', prompt.withdraw, { once: true });
        });
    }

    // cancel ends the turn and what is held; background work goes on.
    cancel() {
        for (const prompt of [...this.held]) {
            prompt.withdraw();
        }
        this.turn?.controller.abort(new Error('cancelled'));
    }

    stop() {
        this.cancel();
        for (const { controller } of this.background.values()) {
            controller.abort(new Error('closed'));
        }
    }
}
