// SPDX-License-Identifier: MIT
// Reads a trace by Perfetto's trace processor, as its own page does: the engine in a worker, the trace in pieces as they come.
import { EngineBase } from '/engine.mjs';

class Engine extends EngineBase {
	id = 'bench';
	mode = 'WASM';

	constructor(port) {
		super();
		this.port = port;
		port.onmessage = (message) => this.onRpcResponseBytes(message.data);
	}

	rpcSendRequestBytes(bytes) {
		this.port.postMessage(bytes);
	}

	[Symbol.dispose]() {
	}
}

async function start() {
	// The package has the engine of 32-bit addresses alone, and its worker has no address to find that by.
	const script = (await (await fetch('/engine_bundle.node.js')).text())
		.replace('function hasMemory64Support() {', 'function hasMemory64Support() { return false;')
		.replace('locateFile: (s) => s', `locateFile: (s) => '${location.origin}/' + s`);
	const worker = new Worker(URL.createObjectURL(new Blob([script], {type: 'text/javascript'})));
	const {port1, port2} = new MessageChannel();
	worker.postMessage(port1, [port1]);
	const engine = new Engine(port2);
	await engine.query('select 1 as one');
	return engine;
}

window.readTrace = async (sql) => {
	const engine = await start(), begun = performance.now(), pieces = (await fetch('/trace')).body.getReader();
	for (;;) {
		const {value, done} = await pieces.read();
		if (done)
			break;
		await engine.parse(value);
	}
	await engine.notifyEof();
	const read = performance.now(), {count} = (await engine.query(sql)).firstRow({count: 0});
	return {read_ms: read - begun, query_ms: performance.now() - read, slices: count};
};
