// The official TypeScript server (@modelcontextprotocol/server, v2), serving
// both eras on one endpoint, with CORS and a few tools. The SDK makes one server
// per request; what is to last lives outside of the factory.
//
// It prints the port it listens on as one line, and takes commands on stdin,
// one per line: "tools", "prompts", "resources" announce a changed list, "close"
// ends every modern request, "updated URI" announces an updated resource, "go" lets the tool write end.

import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { acceptedContent, createMcpHandler, fromJsonSchema, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';

const answerText = text => ({ content: [{ type: 'text', text }] });
const object = (properties, ...required) => fromJsonSchema({ type: 'object', properties, required });
const readOnly = { readOnlyHint: true, idempotentHint: true };
const nameSchema = { type: 'object', properties: { name: { type: 'string', title: 'Name' } }, required: ['name'] };

// pause waits unless the request is cancelled.
function pause(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        if (signal.aborted) {
            reject(signal.reason);
            return;
        }
        const timer = setTimeout(resolve, milliseconds);
        signal.addEventListener('abort', () => {
            clearTimeout(timer);
            reject(signal.reason);
        }, { once: true });
    });
}

// How often the tool write ran, and what lets its runs go: the command "go".
let runs = 0;
let release;
const released = new Promise(resolve => { release = resolve; });

function addTools(server, era) {
    server.registerTool('echo', {
        title: 'Echo', description: 'Returns its text.', annotations: readOnly,
        inputSchema: object({ text: { type: 'string' } }, 'text'),
    }, ({ text }) => answerText(text));

    server.registerTool('add', {
        title: 'Add', description: 'Adds a and b.', annotations: readOnly,
        inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }, 'a', 'b'),
        outputSchema: object({ sum: { type: 'number' } }, 'sum'),
    }, ({ a, b }) => ({ ...answerText(String(a + b)), structuredContent: { sum: a + b } }));

    server.registerTool('slow', {
        title: 'Slow', description: 'Takes steps of delayMs each, with progress and a log message.', annotations: readOnly,
        inputSchema: object({ steps: { type: 'integer', minimum: 1 }, delayMs: { type: 'integer', minimum: 0 } }, 'steps'),
    }, async ({ steps, delayMs = 100 }, context) => {
        const progressToken = context.mcpReq._meta?.progressToken;
        await context.mcpReq.log('info', `${steps} steps`);
        for (let step = 1; step <= steps; step++) {
            try {
                await pause(delayMs, context.mcpReq.signal);
            } catch (reason) {
                process.stderr.write(`slow: cancelled at step ${step}\n`);
                throw reason;
            }
            if (progressToken !== undefined) {
                await context.mcpReq.notify({
                    method: 'notifications/progress',
                    params: { progressToken, progress: step, total: steps, message: `step ${step}` },
                });
            }
        }
        return answerText(`done after ${steps} steps`);
    });

    // A 2025-era request cannot be asked back here: the SDK serves it stateless.
    server.registerTool('greet', {
        title: 'Greet', description: 'Asks for a name and greets.',
    }, context => {
        const given = acceptedContent(context.mcpReq.inputResponses, 'name');
        if (given === undefined && era === 'modern') {
            return inputRequired({
                inputRequests: { name: inputRequired.elicit({ message: 'Who are you?', requestedSchema: nameSchema }) },
                requestState: 'asked',
            });
        }
        return answerText(`Hello, ${given?.name ?? 'stranger'}!`);
    });

    const write = async () => {
        const run = ++runs;
        process.stderr.write(`write: run ${run}\n`);
        await released;
        return answerText(`written ${run}`);
    };
    server.registerTool('write', { title: 'Write', description: 'Writes a note, once it is let go.' }, write);
    server.registerTool('look', { title: 'Look', description: 'The same, and changes nothing.', annotations: readOnly }, write);

    server.registerTool('routed', {
        title: 'Routed', description: 'Wants its region in a header.', annotations: readOnly,
        inputSchema: object({ region: { type: 'string', 'x-mcp-header': 'Region' } }, 'region'),
    }, ({ region }) => answerText(`in ${region}`));
}

function makeServer({ era }) {
    const server = new McpServer(
        { name: 'holdfast-ts-demo', version: '1.0.0' },
        {
            instructions: 'A few tools for tests.',
            capabilities: { logging: {}, tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true, subscribe: true } },
            cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'public' } },
        },
    );
    addTools(server, era);
    server.registerResource('notes', 'file:///notes.txt', { title: 'Notes', mimeType: 'text/plain' },
        uri => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'buy rope' }] }));
    server.registerResource('note', new ResourceTemplate('file:///notes/{name}', { list: undefined }), { title: 'A note' },
        (uri, { name }) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `a note called ${name}` }] }));
    server.registerPrompt('greet', { description: 'Greets somebody.', argsSchema: object({ who: { type: 'string' } }, 'who') },
        ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${who}` } }] }));
    return server;
}

const handler = createMcpHandler(makeServer, {
    keepAliveMs: Number(process.env.KEEP_ALIVE_MS ?? 15_000),
    onerror: error => process.stderr.write(`${error}\n`),
});
const serve = process.env.STATEFUL ? inSessions() : toNodeHandler(handler);

// One server for each session, which answers in one JSON piece (2025-11-25 and before).
function inSessions() {
    const transports = new Map();
    return async (request, response) => {
        let transport = transports.get(request.headers['mcp-session-id']);
        if (!transport) {
            transport = new NodeStreamableHTTPServerTransport({
                sessionIdGenerator: () => crypto.randomUUID(), enableJsonResponse: true,
                onsessioninitialized: id => void transports.set(id, transport),
            });
            await makeServer({ era: 'legacy' }).connect(transport);
        }
        await transport.handleRequest(request, response);
    };
}

// The SDK sends no CORS header itself. Every header is allowed, unless a list is
// given.
const allowed = process.env.ALLOW_HEADERS;
const web = createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate, Retry-After');
    if (request.method === 'OPTIONS') {
        response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE, OPTIONS');
        const asked = allowed ?? request.headers['access-control-request-headers'];
        if (asked) {
            response.setHeader('Access-Control-Allow-Headers', asked);
        }
        response.writeHead(204).end();
        return;
    }
    serve(request, response);
});

web.listen(0, '127.0.0.1', () => process.stdout.write(`${web.address().port}\n`));

createInterface({ input: process.stdin }).on('line', line => {
    const [what, uri] = line.split(' ');
    switch (what) {
        case 'tools': return handler.notify.toolsChanged();
        case 'prompts': return handler.notify.promptsChanged();
        case 'resources': return handler.notify.resourcesChanged();
        case 'close': return handler.close();
        case 'go': return release();
        case 'updated': return handler.notify.resourceUpdated(uri);
    }
});
