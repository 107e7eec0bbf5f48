// The side door: an HTTP server of its own, on which a test moves the agent and
// reads what happened.
//
//	GET  /?from=N&version=V   waits for news since V; the log from entry N on
//	POST / {"do": ..., ...}   see below

import { createServer } from 'node:http';

export function listenForTests({ memory, sessions, streams, forget }) {
    const actions = {
        release: ({ gate }) => memory.release(gate),
        hold: ({ gate }) => memory.hold(gate),
        pass: ({ gate, times }) => memory.let(gate, times),
        cut: request => streams.cut(request),
        cuts: ({ plan }) => streams.plan(plan),
        made: () => streams.cuts,
        streams: () => streams.open(),
        history: ({ session }) => sessions.get(session)?.history ?? [],
        state: ({ session }) => sessions.get(session)?.state ?? null,
        forget: ({ connection }) => forget(connection),
    };
    const news = async (request, response) => {
        const query = new URL(request.url, 'http://control').searchParams;
        const gone = new AbortController();
        response.once('close', () => gone.abort());
        const version = await memory.after(Number(query.get('version')), gone.signal);
        response.end(JSON.stringify({ version, log: memory.log.slice(Number(query.get('from'))), waiting: memory.waiting() }));
    };
    const act = async (request, response) => {
        let body = '';
        for await (const piece of request) {
            body += piece;
        }
        const asked = JSON.parse(body);
        const result = await actions[asked.do](asked);
        response.end(JSON.stringify(result ?? null));
    };
    const server = createServer((request, response) => {
        (request.method === 'POST' ? act : news)(request, response).catch(error => {
            response.writeHead(500).end(String(error.stack));
        });
    });
    return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}
