// A question to the user: put to every peer attached, answered by the first one
// that does, withdrawn from the others with $/cancel_request.

export class Question {
    #asked = new Map(); // peer -> AbortController
    #settle;

    // what is { method, v1, v2 }: the params for each version, null if a version
    // has no such question.
    constructor(session, what) {
        this.session = session;
        this.what = what;
        this.answer = new Promise(resolve => { this.#settle = resolve; });
    }

    #canBePutTo(peer) {
        const params = this.what[peer.version];
        return Boolean(params) && peer.takes(params.mode);
    }

    put(peer) {
        const params = this.what[peer.version];
        if (!this.#canBePutTo(peer)) {
            return;
        }
        const controller = new AbortController();
        this.#asked.set(peer, controller);
        this.session.memory.note('ask', { session: this.session.id, text: this.what.method, peer: peer.number });
        peer.client.request(this.what.method, { sessionId: this.session.id, ...params }, {
            cancellationSignal: controller.signal, stopWaitingOnCancel: true,
        }).then(
            answer => this.#settle({ answer, by: peer }),
            error => {
                if (controller.signal.aborted || peer.closed) {
                    this.#asked.delete(peer);
                    return;
                }
                this.#settle({ refused: error, by: peer });
            },
        );
    }

    withdraw(peer) {
        this.#asked.get(peer)?.abort();
        this.#asked.delete(peer);
    }

    // ask waits for the first answer, or for the signal.
    async ask(signal) {
        const { session } = this;
        if (session.attached.size > 0 && ![...session.attached].some(peer => this.#canBePutTo(peer))) {
            return { refused: new Error('nobody here can be asked that') };
        }
        session.questions.add(this);
        for (const peer of session.attached) {
            this.put(peer);
        }
        let stop;
        const stopped = new Promise(resolve => {
            stop = () => resolve({ cancelled: true });
            signal.addEventListener('abort', stop, { once: true });
        });
        const outcome = await Promise.race([this.answer, stopped]);
        signal.removeEventListener('abort', stop);
        session.questions.delete(this);
        for (const peer of [...this.#asked.keys()]) {
            if (peer !== outcome.by) {
                this.withdraw(peer);
            }
        }
        session.memory.note('answer', {
            session: session.id, text: this.what.method, peer: outcome.by?.number,
            data: outcome.answer ?? (outcome.cancelled ? { cancelled: true } : { error: outcome.refused.message, code: outcome.refused.code }),
        });
        return outcome;
    }
}
