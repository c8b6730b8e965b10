// SPDX-License-Identifier: MIT
//
// The carrier of a page that is a single file: the engine's reader (wasm), in a worker of its own, which reads the
// trace that the page holds. The page's first requests were answered when the file was written.

import { type Carrier, parseVisible, Refusal } from "./carrier";

/* Newer than the compiler's list of browser interfaces. */
declare const DecompressionStream: new (format: string) => ReadableWritablePair<Uint8Array, Uint8Array>;

interface Reader {
	memory: WebAssembly.Memory;
	_initialize(): void;
	reader_room(bytes: number): number;
	reader_open(bytes: number): number;
	reader_line(bytes: number): number;
	reader_ask(bytes: number): number;
	reader_query(bytes: number): number;
	reader_answer(): number;
	reader_answer_bytes(): number;
}

/** The number of characters that are decoded at a time: a multiple of four. */
const PIECE = 1 << 20;

/* Newer than the compiler's list, too. */
interface Decoding {
	setFromBase64?: (text: string) => void;
}

/** Decodes base 64 of this length piece by piece, so that no second copy of the text or of the bytes is made. */
function decode(length: number, piece: (at: number, length: number) => string): Uint8Array {
	const end = piece(length - 2, 2), padding = end === "==" ? 2 : end.endsWith("=") ? 1 : 0, bytes = new Uint8Array(Math.max(0, length / 4 * 3 - padding));
	for (let at = 0; at < length; at += PIECE) {
		const text = piece(at, Math.min(PIECE, length - at)), to = bytes.subarray(at / 4 * 3) as Uint8Array & Decoding;
		if (to.setFromBase64)
			to.setFromBase64(text);
		else
			to.set(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
	}
	return bytes;
}

function decodeText(text: string): Uint8Array {
	return decode(text.length, (at, length) => text.slice(at, at + length));
}

/**
 * Unpacks gzip data. `room` is told the number of unpacked bytes, which the data end with, and says where to put them:
 * called for each piece, because the memory of a reader moves when it grows.
 */
async function unpack(packed: Uint8Array, room: (bytes: number) => () => Uint8Array): Promise<void> {
	const stream = new DecompressionStream("gzip"), writer = stream.writable.getWriter(), reader = stream.readable.getReader();
	const to = room(new DataView(packed.buffer, packed.byteOffset).getUint32(packed.byteLength - 4, true));
	void writer.write(packed).catch(() => undefined);
	void writer.close().catch(() => undefined);
	/* Now, and not when the browser collects what is not used any more. */
	const giveBack = ({ buffer }: Uint8Array): void => (buffer as { transfer?: (length: number) => void }).transfer?.(0);
	for (let at = 0;;) {
		const { done, value } = await reader.read();
		if (done)
			return giveBack(packed);
		to().set(value, at);
		at += value.length;
		giveBack(value);
	}
}

/** The whole script of the worker: the script can use only what it is passed, and nothing outside of this function. */
function answerRequests(unpackTo: typeof unpack): void {
	let reader: Reader;
	const put = (at: number, bytes: Uint8Array): void => new Uint8Array(reader.memory.buffer).set(bytes, at);
	const answer = (): Uint8Array => new Uint8Array(reader.memory.buffer).slice(reader.reader_answer(), reader.reader_answer() + reader.reader_answer_bytes());

	const open = async (packedModule: Uint8Array, packedTrace: Uint8Array): Promise<number> => {
		let module = new Uint8Array(), length = 0, place = 0;
		await unpackTo(packedModule, (bytes) => {
			module = new Uint8Array(bytes);
			return () => module;
		});
		/* All that the reader gets of a system: the time, and random numbers. */
		const system = {
			fd_close: () => 0, fd_seek: () => 0, fd_write: () => 0,
			clock_time_get: (clock: number, _: bigint, at: number) => {
				const ms = performance.now() + (clock === 0 ? performance.timeOrigin : 0);
				new DataView(reader.memory.buffer).setBigUint64(at, BigInt(Math.round(ms * 1000)) * BigInt(1000), true);
				return 0;
			},
			random_get: (at: number, bytes: number) => {
				crypto.getRandomValues(new Uint8Array(reader.memory.buffer, at, bytes));
				return 0;
			},
		};
		const { instance } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system });
		reader = instance.exports as unknown as Reader;
		reader._initialize();
		await unpackTo(packedTrace, (bytes) => {
			length = bytes;
			place = reader.reader_room(bytes);
			return () => new Uint8Array(reader.memory.buffer, place, bytes);
		});
		return reader.reader_open(length);
	};
	const ask = (request: string, isStatement: boolean): number => {
		const line = new TextEncoder().encode(request), at = reader.reader_line(line.length);
		if (at)
			put(at, line);
		return isStatement ? reader.reader_query(line.length) : reader.reader_ask(line.length);
	};
	onmessage = async (message: MessageEvent<{ module?: Uint8Array; trace?: Uint8Array; request?: string; sql?: string }>): Promise<void> => {
		const { module, trace, request, sql } = message.data;
		const status = module && trace ? await open(module, trace) : ask(sql ?? request ?? "", sql !== undefined);
		const bytes = status || !module ? answer() : new Uint8Array();
		postMessage({ status, bytes: bytes.buffer }, { transfer: [bytes.buffer] });
	};
}

/**
 * Takes the packed content of the template with this id: the page does not keep it besides. The script never has the
 * whole text as a string of its own, which would live until the browser collects what is not used any more.
 */
function take(id: string): Uint8Array {
	const { content } = document.getElementById(id) as HTMLTemplateElement;
	content.normalize();
	const text = content.firstChild as Text | null;
	if (!text)
		return new Uint8Array();
	const bytes = decode(text.length, (at, length) => text.substringData(at, length));
	text.data = "";
	text.remove();
	return bytes;
}

/**
 * Lets the browser collect what is left of the decoded texts, as much as the trace itself, which it would otherwise do
 * half a minute later: a large array makes it, and takes no memory as long as nobody writes to it.
 */
function collect(): void {
	try {
		new Uint8Array(1 << 28);
	} catch {
		/* There is no room: the browser has collected. */
	}
}

/** Unpacks an answer that the page holds. */
async function unpackAnswer(text: string): Promise<ArrayBuffer> {
	let answer = new Uint8Array();
	await unpack(decodeText(text), (bytes) => {
		answer = new Uint8Array(bytes);
		return () => answer;
	});
	return answer.buffer as ArrayBuffer;
}

/** A statement of SQL is refused in JSON, other requests in a sentence. */
function refusalOf(text: string): Refusal {
	if (!text.startsWith("{"))
		return new Refusal(400, text);
	const { error, offset } = parseVisible<{ error: string; offset?: number }>(text);
	return new Refusal(400, error, offset);
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
				one?.failed(refusalOf(new TextDecoder().decode(bytes)));
			else
				one?.done(bytes);
		};
		this.isOpen = this.open();
	}

	private async open(): Promise<void> {
		const module = take("reader"), trace = take("trace");
		await this.send({ module, trace }, [module.buffer, trace.buffer]);
		collect();
		/* Rows are read ahead, while the reader looks at the findings. */
		void this.send({ request: "select?table=states&limit=1" }).catch(() => undefined);
	}

	private send(message: object, handedOver: Transferable[] = []): Promise<ArrayBuffer> {
		return new Promise((done, failed) => {
			this.waiting.push({ done, failed });
			this.worker.postMessage(message, handedOver);
		});
	}

	async ask(request: string): Promise<ArrayBuffer> {
		const answered = document.querySelector(`script[data-request="${CSS.escape(request)}"]`);
		if (answered)
			return unpackAnswer(answered.textContent ?? "");
		await this.isOpen;
		return this.send({ request });
	}

	async query<T>(sql: string): Promise<T> {
		await this.isOpen;
		return parseVisible<T>(new TextDecoder().decode(await this.send({ sql })));
	}
}
