//go:build !js

package growth

// pageScript is the page: what each measurement does in it.
const pageScript = `
import * as holdfast from "/holdfast.mjs";

const URL_ = new URL("/mcp", location.href).href;
let mcp, calls = [];

// The program is there before anything is measured.
const warm = async () => (await holdfast.connect(URL_, { journal: false, listen: false, revision: "2025-11-25" })).close();

const connect = () => holdfast.connect(URL_, { listen: false, ack: "manual", revision: "2025-11-25", limits: { calls: 20000 } });

const at = async () => Number(await (await fetch(GATE)).text());

window.rig = {
	warm,
	async connect() { mcp = await connect(); },
	/** Makes n calls and waits until as many as the browser opens streams for are at the gate. */
	async make(n) {
		await fetch(GATE + "?close");
		calls = [];
		let events = 0;
		for (let i = 0; i < n; i++) {
			const call = mcp.callTool("work", { n: i });
			calls.push(call);
			(async () => { for await (const event of call) if (event.type === "progress") events++; })();
		}
		const streams = Math.min(n, ` + "200" + `);
		while ((await at()) < streams) await new Promise((resolve) => setTimeout(resolve, 5));
		window.events = () => events;
		return true;
	},
	/** Lets them end. */
	async end() {
		await fetch(GATE + "?open");
		await Promise.all(calls.map((call) => call.result));
		return window.events();
	},
	async ack() {
		for (const call of calls) call.ack();
		calls = [];
	},
	/** Brings back what is stored, as a page does after a reload. */
	async restore() {
		const start = performance.now();
		mcp = await connect();
		const list = await mcp.calls();
		const ms = performance.now() - start;
		return { ms, n: list.length, positions: list.reduce((sum, call) => sum + call.position, 0) };
	},
	/** Reads the same records and does nothing with them. */
	async raw() {
		const start = performance.now();
		const db = await new Promise((resolve, reject) => {
			const request = indexedDB.open("holdfast");
			request.onsuccess = () => resolve(request.result);
			request.onerror = () => reject(request.error);
		});
		const got = await new Promise((resolve) => {
			const tx = db.transaction(["servers", "calls", "log"]);
			const reads = ["servers", "calls", "log"].map((name) => tx.objectStore(name).getAll());
			tx.oncomplete = () => resolve(reads.map(({ result }) => result));
		});
		const ms = performance.now() - start;
		db.close();
		const bytes = got.flat().reduce((sum, record) => sum + record.plain.byteLength + (record.secret?.byteLength ?? 0), 0);
		return { ms, n: got[1].length, rows: got[2].length, bytes };
	},
};
`
