// SPDX-License-Identifier: MIT
//
// The words in the bars of waits: the resource that is waited for, and its holder.

import { askRows } from "./carrier";
import type { Lane } from "./lanes";
import type { Range } from "./range";
import type { Slice } from "./slices";

/** A narrower bar has no words. */
export const WORDS_WIDTH = 70;
const WAITS_MAX = 500;

/** Words such as "lock 0x77 held by coroutine 2", by barOf(). */
export type BarWords = ReadonlyMap<string, string>;

export function barOf({ lane, from }: Pick<Slice, "lane" | "from">): string {
	return `${lane} ${from}`;
}

function wordsOf(object: string, holder: number): string {
	const what = object.startsWith("coroutine ") ? `end of ${object}` : object;
	return holder ? `${what || "what is"} held by coroutine ${holder}` : what;
}

/** Asks for the words of the longest waits on these lanes that are wide enough. `perPixel`: nanoseconds per pixel. */
export async function askBarWords(lanes: readonly Lane[], { from, until }: Range, perPixel: number): Promise<BarWords> {
	const ids = lanes.flatMap(({ coroutine }) => coroutine || []), words = new Map<string, string>();
	if (!ids.length)
		return words;
	const rows = await askRows("select", {
		table: "states", columns: "process,coroutine,from_ns,object,holder", order: "-duration_ns", limit: WAITS_MAX,
		where: ["state=waiting", `coroutine>=${Math.min(...ids)}`, `coroutine<=${Math.max(...ids)}`, `from_ns<=${Math.ceil(until)}`, `until_ns>=${Math.floor(from)}`,
			`duration_ns>=${Math.ceil(perPixel * WORDS_WIDTH)}`],
	});
	for (let row = 0; row < rows.nrRows; row++) {
		const lane = `c${rows.number(0, row)}.${rows.number(1, row)}`;
		words.set(barOf({ lane, from: rows.number(2, row) }), wordsOf(rows.word(3, row), rows.number(4, row) || 0));
	}
	return words;
}
