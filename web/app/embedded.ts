// SPDX-License-Identifier: MIT
//
// The carrier of a page that is a file: the engine's reader (wasm), in a worker of its own, over the trace that the page
// holds.

import { type Carrier, Refusal } from "./carrier";

/* Newer than the compiler's list of what browsers have. */
declare const DecompressionStream: new (format: string) => ReadableWritablePair<Uint8Array, Uint8Array>;

interface Reader {
	memory: WebAssembly.Memory;
	_initialize(): void;
	reader_room(bytes: number): number;
	reader_open(bytes: number): number;
	reader_line(bytes: number): number;
	reader_ask(bytes: number): number;
	reader_answer(): number;
	reader_answer_bytes(): number;
}

/** The worker's whole script: nothing outside of it is there when it runs. */
function answerRequests(): void {
	let reader: Reader;
	const put = (at: number, bytes: Uint8Array): void => new Uint8Array(reader.memory.buffer).set(bytes, at);
	const answer = (): Uint8Array => new Uint8Array(reader.memory.buffer).slice(reader.reader_answer(), reader.reader_answer() + reader.reader_answer_bytes());

	const open = async (module: ArrayBuffer, trace: ArrayBuffer): Promise<number> => {
		const nothing = { fd_close: () => 0, fd_seek: () => 0, fd_write: () => 0 };
		const { instance } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: nothing });
		reader = instance.exports as unknown as Reader;
		reader._initialize();
		put(reader.reader_room(trace.byteLength), new Uint8Array(trace));
		return reader.reader_open(trace.byteLength);
	};
	const ask = (request: string): number => {
		const line = new TextEncoder().encode(request);
		put(reader.reader_line(line.length), line);
		return reader.reader_ask(line.length);
	};
	onmessage = async (message: MessageEvent<{ module?: ArrayBuffer; trace?: ArrayBuffer; request?: string }>): Promise<void> => {
		const { module, trace, request } = message.data;
		const status = module && trace ? await open(module, trace) : ask(request ?? "");
		const bytes = status || request !== undefined ? answer() : new Uint8Array();
		postMessage({ status, bytes: bytes.buffer }, { transfer: [bytes.buffer] });
	};
}

/** What the page holds under this name: gzip, in base 64. */
async function bytesOf(id: string): Promise<ArrayBuffer> {
	const text = document.getElementById(id)?.textContent ?? "";
	const packed = (await fetch(`data:application/octet-stream;base64,${text}`)).body as ReadableStream<Uint8Array>;
	return new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** Answers come in the order of requests. */
export class Embedded implements Carrier {
	readonly isServed = false;
	private readonly worker: Worker;
	private readonly waiting: { done(bytes: ArrayBuffer): void; failed(error: Error): void }[] = [];
	private readonly isOpen: Promise<unknown>;

	constructor() {
		this.worker = new Worker(URL.createObjectURL(new Blob([`(${answerRequests.toString()})()`], { type: "text/javascript" })));
		this.worker.onmessage = (message: MessageEvent<{ status: number; bytes: ArrayBuffer }>) => {
			const { status, bytes } = message.data, one = this.waiting.shift();
			if (status)
				one?.failed(new Refusal(400, new TextDecoder().decode(bytes)));
			else
				one?.done(bytes);
		};
		this.isOpen = this.open();
	}

	private async open(): Promise<unknown> {
		const [module, trace] = await Promise.all([bytesOf("reader"), bytesOf("trace")]);
		return this.send({ module, trace }, [module, trace]);
	}

	private send(message: object, transfer: ArrayBuffer[] = []): Promise<ArrayBuffer> {
		return new Promise((done, failed) => {
			this.waiting.push({ done, failed });
			this.worker.postMessage(message, transfer);
		});
	}

	async ask(request: string): Promise<ArrayBuffer> {
		await this.isOpen;
		return this.send({ request });
	}
}
