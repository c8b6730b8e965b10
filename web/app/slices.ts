// SPDX-License-Identifier: MIT
//
// What lanes did between two times, at the resolution of the screen.

import { askRows } from "./carrier";
import type { Rows } from "./rows";

export interface Slice {
	lane: string;
	from: number;
	until: number;
	state: number;
	/** On a thread's lane: the coroutine that the thread ran. */
	coroutine: number;
	site: number;
	/** The number of states for which the slice stands. */
	nrStates: number;
	/** If waiting: the number of the awaited resource's kind (resources.def). */
	resource: number;
	/** On an object's lane: the largest number of waiters for the object. */
	nrWaiting: number;
	/** The call that holds the thread: "read". */
	call: string;
}

function slicesOf(rows: Rows, keys: readonly string[]): Map<string, Slice[]> {
	const byLane = new Map<string, Slice[]>(keys.map((key) => [key, []]));
	for (let row = 0; row < rows.nrRows; row++) {
		const lane = keys[rows.number(0, row) || 0]!;
		byLane.get(lane)!.push({
			lane, from: rows.number(1, row), until: rows.number(2, row), state: rows.number(3, row),
			coroutine: rows.number(4, row) || 0, site: rows.number(5, row) || 0, nrStates: rows.number(6, row), resource: rows.number(7, row) || 0,
			nrWaiting: rows.number(8, row) || 0, call: rows.word(9, row),
		});
	}
	return byLane;
}

export async function askSlices(keys: readonly string[], from: number, until: number, resolution: number): Promise<Map<string, Slice[]>> {
	if (!keys.length)
		return new Map();
	return slicesOf(await askRows("lanes", {
		lanes: keys.join(","), from: Math.floor(from), until: Math.ceil(until), resolution: Math.floor(resolution),
	}), keys);
}
