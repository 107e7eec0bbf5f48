// One connection to a client, in the version that it negotiated. A v1 client is
// told what v2 updates mean in v1.

import { toV1 } from './to_v1.mjs';

let made = 0;

export class Peer {
    number = ++made;
    version = 'v2';
    client = null;
    closed = false;
    capabilities = {};

    constructor(sessions) {
        this.sessions = sessions;
        this.memory = sessions.memory;
        this.calls = new Set(); // tool calls that a v1 client has heard of
    }

    connected(connection) {
        this.client = connection.client;
        void connection.closed.then(() => {
            this.closed = true;
            this.memory.note('peer-closed', { peer: this.number });
            for (const session of this.sessions.list()) {
                session.detach(this);
            }
        });
    }

    initialized(version, params) {
        this.version = version;
        this.capabilities = params.capabilities ?? params.clientCapabilities ?? {};
        this.memory.note('initialize', { peer: this.number, text: version, data: params.info ?? params.clientInfo });
    }

    // takes reports whether the client can be asked in that way; a permission
    // has no mode and can always be asked for.
    takes(mode) {
        return mode === undefined || Boolean(this.capabilities.elicitation?.[mode]);
    }

    // update sends without waiting: a client that does not read must not hold up
    // the others, nor the turn.
    update(session, update) {
        for (const one of this.version === 'v1' ? toV1(update, this.calls) : [update]) {
            this.client.notify('session/update', { sessionId: session.id, update: one }).catch(error => {
                if (!this.closed) {
                    this.memory.note('bug', { session: session.id, peer: this.number, text: String(error) });
                }
            });
        }
    }

    replay(session) {
        for (const update of session.history) {
            this.update(session, update);
        }
    }
}
