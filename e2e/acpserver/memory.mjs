// What a Go test sees and moves: the log of everything that happened, and the
// gates at which the agent waits. A change of either wakes those who poll.

export class Memory {
    log = [];
    #gates = new Map();
    #version = 0;
    #wake = new Set();

    note(kind, entry = {}) {
        this.log.push({ kind, ...entry });
        this.#changed();
    }

    #changed() {
        this.#version++;
        for (const wake of this.#wake) {
            wake();
        }
        this.#wake.clear();
    }

    // after resolves once something has changed since the version given.
    async after(version, signal) {
        while (this.#version <= version && !signal.aborted) {
            await new Promise(resolve => {
                this.#wake.add(resolve);
                signal.addEventListener('abort', resolve, { once: true });
            });
        }
        return this.#version;
    }

    #gate(name) {
        let gate = this.#gates.get(name);
        if (!gate) {
            gate = { open: false, passes: 0, waiting: [] };
            this.#gates.set(name, gate);
        }
        return gate;
    }

    // A gate nobody has touched is closed. pass waits at it, and rejects with
    // the signal's reason when that comes first.
    pass(name, signal) {
        const gate = this.#gate(name);
        signal?.throwIfAborted();
        if (gate.open) {
            return Promise.resolve();
        }
        if (gate.passes > 0) {
            gate.passes--;
            return Promise.resolve();
        }
        return new Promise((resolve, reject) => {
            const waiter = {};
            const leave = settle => {
                signal?.removeEventListener('abort', waiter.abort);
                gate.waiting = gate.waiting.filter(other => other !== waiter);
                settle();
                this.#changed();
            };
            waiter.through = () => leave(resolve);
            waiter.abort = () => leave(() => reject(signal.reason));
            signal?.addEventListener('abort', waiter.abort, { once: true });
            gate.waiting.push(waiter);
            this.#changed();
        });
    }

    release(name) {
        const gate = this.#gate(name);
        gate.open = true;
        for (const waiter of [...gate.waiting]) {
            waiter.through();
        }
    }

    hold(name) {
        const gate = this.#gate(name);
        gate.open = false;
        gate.passes = 0;
    }

    // let lets as many waiters through, those to come if fewer are waiting.
    let(name, times) {
        const gate = this.#gate(name);
        const now = gate.waiting.slice(0, times);
        gate.passes += times - now.length;
        for (const waiter of now) {
            waiter.through();
        }
    }

    waiting() {
        return Object.fromEntries([...this.#gates].map(([name, gate]) => [name, gate.waiting.length]));
    }
}
