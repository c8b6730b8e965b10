// SPDX-License-Identifier: MIT
//
// The carrier of a page that is a single file: the engine's reader (wasm), in a worker of its own, which reads the
// trace that the page holds. The page's first requests were answered when the file was written.

import { type Carrier, Refusal } from "./carrier";

/* Newer than the compiler's list of browser interfaces. */
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

/** Unpacks gzip data in base 64. All at once, because a browser's stream of a data address takes twice the time. */
async function unpack(text: string): Promise<ArrayBuffer> {
	const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array };
	const stream = new DecompressionStream("gzip"), writer = stream.writable.getWriter(), reader = stream.readable.getReader();
	void writer.write(fromBase64 ? fromBase64(text) : Uint8Array.from(atob(text), (one) => one.charCodeAt(0))).catch(() => undefined);
	void writer.close().catch(() => undefined);
	const pieces: Uint8Array[] = [];
	for (;;) {
		const { done, value } = await reader.read();
		if (done)
			return new Blob(pieces).arrayBuffer();
		pieces.push(value);
	}
}

/** The whole script of the worker: the script can use only what it is passed, and nothing outside of this function. */
function answerRequests(unpack: (text: string) => Promise<ArrayBuffer>): void {
	let reader: Reader;
	const put = (at: number, bytes: Uint8Array): void => new Uint8Array(reader.memory.buffer).set(bytes, at);
	const answer = (): Uint8Array => new Uint8Array(reader.memory.buffer).slice(reader.reader_answer(), reader.reader_answer() + reader.reader_answer_bytes());

	const open = async (packedModule: string, packedTrace: string): Promise<number> => {
		const [module, trace] = await Promise.all([unpack(packedModule), unpack(packedTrace)]);
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
	onmessage = async (message: MessageEvent<{ module?: string; trace?: string; request?: string }>): Promise<void> => {
		const { module, trace, request } = message.data;
		const status = module && trace ? await open(module, trace) : ask(request ?? "");
		const bytes = status || request !== undefined ? answer() : new Uint8Array();
		postMessage({ status, bytes: bytes.buffer }, { transfer: [bytes.buffer] });
	};
}

/** Returns the packed content that the page holds under this id. */
function held(id: string): string {
	return document.getElementById(id)?.textContent ?? "";
}

/** The worker answers in the order of the requests. */
export class Embedded implements Carrier {
	readonly isServed = false;
	private readonly worker: Worker;
	private readonly waiting: { done(bytes: ArrayBuffer): void; failed(error: Error): void }[] = [];
	private readonly isOpen: Promise<void>;

	constructor() {
		this.worker = new Worker(URL.createObjectURL(new Blob([`(${answerRequests.toString()})(${unpack.toString()})`], { type: "text/javascript" })));
		this.worker.onmessage = (message: MessageEvent<{ status: number; bytes: ArrayBuffer }>) => {
			const { status, bytes } = message.data, one = this.waiting.shift();
			if (status)
				one?.failed(new Refusal(400, new TextDecoder().decode(bytes)));
			else
				one?.done(bytes);
		};
		this.isOpen = this.open();
	}

	private async open(): Promise<void> {
		await this.send({ module: held("reader"), trace: held("trace") });
		/* Rows are read ahead, while the reader looks at the findings. */
		void this.send({ request: "select?table=states&limit=1" }).catch(() => undefined);
	}

	private send(message: object): Promise<ArrayBuffer> {
		return new Promise((done, failed) => {
			this.waiting.push({ done, failed });
			this.worker.postMessage(message);
		});
	}

	async ask(request: string): Promise<ArrayBuffer> {
		const answered = document.querySelector(`script[data-request="${CSS.escape(request)}"]`);
		if (answered)
			return unpack(answered.textContent ?? "");
		await this.isOpen;
		return this.send({ request });
	}
}
