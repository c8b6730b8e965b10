// SPDX-License-Identifier: MIT
//
// Packed answers of a view, as docs/spec/view.md defines them: columns of numbers, and the words of text cells.

import { visible } from "./say";

const MAGIC = "CTVIEW1\0";
const HEAD_BYTES = 32;
const COLUMN_BYTES = 24;
const WORD_BYTES = 24;
const SMALLEST = -(2n ** 63n);

interface Column {
	type: number;
	width: number;
	base: bigint;
	at: number;
}

/** The rows of one answer. Columns have the order in which the request named them. */
export class Rows {
	readonly nrRows: number;
	/** The number of rows on all pages. */
	readonly nrMatched: number;
	private readonly data: DataView;
	private readonly columns: Column[] = [];
	private readonly words = new Map<string, string>();

	constructor(bytes: ArrayBuffer) {
		this.data = new DataView(bytes);
		for (let i = 0; i < MAGIC.length; i++)
			if (this.data.getUint8(i) !== MAGIC.charCodeAt(i))
				throw new Error("The answer is of another form: the page and the engine are not of one version.");
		const nrColumns = this.data.getUint32(8, true), nrWords = this.data.getUint32(12, true);
		this.nrRows = Number(this.data.getBigUint64(16, true));
		this.nrMatched = Number(this.data.getBigUint64(24, true));
		let end = HEAD_BYTES + COLUMN_BYTES * nrColumns;
		for (let i = 0; i < nrColumns; i++) {
			const column = this.readColumn(HEAD_BYTES + COLUMN_BYTES * i);
			this.columns.push(column);
			end = Math.max(end, column.at + column.width * this.nrRows);
		}
		this.readWords(Math.ceil(end / 8) * 8, nrWords);
	}

	private readColumn(at: number): Column {
		return {
			type: this.data.getUint8(at),
			width: this.data.getUint8(at + 1),
			base: this.data.getBigInt64(at + 8, true),
			at: Number(this.data.getBigUint64(at + 16, true)),
		};
	}

	private readWords(at: number, count: number): void {
		const texts = at + WORD_BYTES * count, decoder = new TextDecoder();
		for (let i = 0; i < count; i++, at += WORD_BYTES) {
			const number = this.data.getBigInt64(at, true), type = this.data.getUint32(at + 8, true);
			const length = this.data.getUint32(at + 12, true), begin = Number(this.data.getBigUint64(at + 16, true));
			this.words.set(`${type}:${number}`,
				visible(decoder.decode(new Uint8Array(this.data.buffer, texts + begin, length))));
		}
	}

	/** NaN: the cell is empty. Exact up to 2^53. */
	number(column: number, row: number): number {
		const { width, base, at } = this.columns[column]!;
		let cell: number;
		switch (width) {
		case 1: cell = this.data.getUint8(at + row); break;
		case 2: cell = this.data.getUint16(at + 2 * row, true); break;
		case 4: cell = this.data.getUint32(at + 4 * row, true); break;
		case 8: {
			const whole = this.data.getBigInt64(at + 8 * row, true);
			return whole <= SMALLEST + 1n ? NaN : Number(whole);
		}
		default: return NaN;
		}
		return cell ? Number(base) + cell - 1 : NaN;
	}

	private whole(column: number, row: number): bigint | null {
		const { width, base, at } = this.columns[column]!;
		if (width === 8)
			return this.data.getBigInt64(at + 8 * row, true);
		const cell = width ? BigInt(Math.round(this.cell(at, width, row))) : 0n;
		return cell ? base + cell - 1n : null;
	}

	/** Returns a handle, or another unsigned number, in digits: all of its 64 bits. */
	digits(column: number, row: number): string {
		const number = this.whole(column, row);
		return number === null ? "" : String(BigInt.asUintN(64, number));
	}

	private cell(at: number, width: number, row: number): number {
		return width === 1 ? this.data.getUint8(at + row)
			: width === 2 ? this.data.getUint16(at + 2 * row, true) : this.data.getUint32(at + 4 * row, true);
	}

	/** Returns the words of a cell that is a text or a resource; "": the cell is empty. */
	word(column: number, row: number): string {
		const number = this.whole(column, row);
		return number === null ? "" : this.words.get(`${this.columns[column]!.type}:${number}`) ?? "";
	}
}
