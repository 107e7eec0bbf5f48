// The event streams that are open, and the ways to end them: what stands between
// an agent and its client. The SDK's own stream is read message by message, so
// that a clean end loses nothing and a dirty one loses what it is meant to lose. Of
// a WebSocket's, what is said behind the cut is lost in every case.

// The ways to end a stream behind, within or instead of a message. Only the last
// three lose something: "within" and "unsent" the message that they fall on,
// "reset" whatever the client had not read yet.
export const ways = ['clean', 'fin', 'reset', 'within', 'unsent'];

// dice is a small generator (mulberry32): the same seed, the same numbers.
function dice(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

// hash is FNV-1a of a text.
function hash(text) {
    let value = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) {
        value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    }
    return value >>> 0;
}

const decoder = new TextDecoder();

export class Streams {
    #open = new Set();
    #made = 0;
    #plan = null;

    constructor(memory) {
        this.memory = memory;
    }

    open() { return [...this.#open].map(({ number, connection, session, kind }) => ({ number, connection, session, kind })); }

    // plan cuts streams at random from now on: { seed, chance, most, ways,
    // session, afterPrompt }, the session "" for all of them. null ends it.
    plan(plan) {
        this.#plan = plan && { most: Infinity, ways, ...plan, said: new Map(), made: 0, prompts: this.#prompts() };
    }

    #prompts() { return this.memory.log.filter(({ kind }) => kind === 'prompt').length; }

    get cuts() { return this.#plan?.made ?? 0; }

    // draw throws a die of the message's own: how it falls is the seed's, what the
    // message says and how often it was said.
    #draw(stream, message) {
        const plan = this.#plan;
        if (!plan || plan.made >= plan.most || (plan.session && plan.session !== stream.session)) {
            return undefined;
        }
        if (plan.afterPrompt && this.#prompts() === plan.prompts) {
            return undefined;
        }
        plan.afterPrompt = false;
        const text = typeof message === 'string' ? message : decoder.decode(message);
        const times = (plan.said.get(text) ?? 0) + 1;
        plan.said.set(text, times);
        const roll = dice(plan.seed ^ hash(`${times} ${text}`));
        if (roll() >= plan.chance) {
            return undefined;
        }
        plan.made++;
        return plan.ways[Math.floor(roll() * plan.ways.length)];
    }

    #begin(stream) {
        stream.number = ++this.#made;
        this.#open.add(stream);
        this.memory.note('open', { connection: stream.connection, session: stream.session, text: stream.kind });
    }

    #over(stream, how) {
        if (this.#open.delete(stream)) {
            this.memory.note('over', { connection: stream.connection, session: stream.session, text: how });
        }
    }

    // cut ends the streams that fit and returns how many there were.
    cut({ connection, session, all, how }) {
        let count = 0;
        for (const stream of [...this.#open]) {
            if (all || (stream.session === (session ?? '') && (!connection || stream.connection === connection))) {
                stream.end(how);
                count++;
            }
        }
        return count;
    }

    // events puts a stream of the SDK under control.
    events(response, { connection, session }, socket) {
        const source = response.body.getReader();
        const stream = { kind: 'sse', connection, session };
        let out, ended = false;
        stream.end = how => {
            ended = true;
            this.#over(stream, how);
            // A receiver that is gone holds nothing back: what comes now is for
            // the next one.
            source.cancel().catch(() => {});
            switch (how) {
                case 'clean': out.close(); break;
                case 'fin': setImmediate(() => socket.destroySoon()); break;
                default: setImmediate(() => socket.resetAndDestroy());
            }
        };
        this.#begin(stream);
        const body = new ReadableStream({
            start: controller => { out = controller; },
            pull: async controller => {
                const { done, value } = await source.read();
                if (ended) {
                    return;
                }
                if (done) {
                    this.#over(stream, 'server');
                    controller.close();
                    return;
                }
                const how = value[0] === 'd'.charCodeAt(0) ? this.#draw(stream, value) : undefined;
                if (how !== 'unsent') {
                    controller.enqueue(how === 'within' ? value.subarray(0, value.length >> 1) : value);
                }
                if (how) {
                    stream.end(how);
                }
            },
            cancel: reason => {
                this.#over(stream, 'client');
                return source.cancel(reason);
            },
        }, { highWaterMark: 0 });
        return new Response(body, { status: response.status, headers: response.headers });
    }

    // socket puts a WebSocket under control.
    socket(webSocket, socket) {
        const stream = { kind: 'websocket', connection: '', session: '' };
        stream.end = how => {
            this.#over(stream, how);
            switch (how) {
                case 'clean': webSocket.close(1001); break;
                case 'fin': socket.destroySoon(); break;
                default: socket.resetAndDestroy();
            }
        };
        this.#begin(stream);
        webSocket.once('close', () => this.#over(stream, 'client'));
        const send = webSocket.send.bind(webSocket);
        let over = false;
        webSocket.send = (data, ...rest) => {
            if (over) {
                return; // a socket loses its end, never a message from its middle
            }
            const how = this.#draw(stream, data);
            if (how !== 'unsent' && how !== 'within') {
                send(data, ...rest);
            }
            if (how) {
                over = true;
                setImmediate(() => stream.end(how));
            }
        };
    }
}
