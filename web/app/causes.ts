// SPDX-License-Identifier: MIT
//
// The causes of a selected state: which coroutine woke the selected one, which coroutine woke that one, and so on for
// some links back; and which coroutines the selected one woke itself. Depth and number are limited, so that the picture
// stays readable.

import { askRows } from "./carrier";
import type { Lane } from "./lanes";
import type { Slice } from "./slices";
import { STATES } from "./states";
import { threadName } from "./trace";

/** The number of links back from the selection, and of arrows away from the selection. */
const DEPTH = 4;
const NR_WOKEN = 8;

export interface Arrow {
	at: number;
	/** Lanes at which the arrow may begin: the waker's, or else the lane of the thread on which the waker ran. */
	from: string[];
	to: string;
	fromWords: string;
	toWords: string;
	/** 1: an arrow of the selection itself. */
	depth: number;
	/** The arrow is a wait for a resource that the other coroutine holds: no wake has happened yet. */
	isWish: boolean;
}

const COLUMNS = "time_ns,coroutine,waker,thread";

interface Wake {
	at: number;
	woken: number;
	waker: number;
	thread: number;
}

async function askWakes(process: number, where: readonly string[], order: string, limit: number): Promise<Wake[]> {
	const rows = await askRows("select", { table: "wakes", columns: COLUMNS, where: [`process=${process}`, ...where], order, limit });
	return Array.from({ length: rows.nrRows }, (_, row) => ({
		at: rows.number(0, row), woken: rows.number(1, row), waker: rows.number(2, row) || 0, thread: rows.number(3, row) || 0 }));
}

function arrowOf(process: number, wake: Wake, depth: number): Arrow {
	return {
		at: wake.at, from: [...wake.waker ? [`c${process}.${wake.waker}`] : [], `t${wake.thread}`], to: `c${process}.${wake.woken}`, depth, isWish: false,
		fromWords: wake.waker ? `coroutine ${wake.waker}` : threadName(wake.thread), toWords: `coroutine ${wake.woken}`,
	};
}

/** Asks for the wake of the coroutine, then for the wake of its waker, and so on: the latest wake first. */
async function askBack(process: number, coroutine: number, until: number): Promise<Arrow[]> {
	const arrows: Arrow[] = [];
	for (let depth = 1, who = coroutine, end = until; depth <= DEPTH && who; depth++) {
		const [wake] = await askWakes(process, [`coroutine=${who}`, `time_ns<=${end}`], "-time_ns", 1);
		if (!wake)
			break;
		arrows.push(arrowOf(process, wake, depth));
		who = wake.waker;
		end = wake.at;
	}
	return arrows;
}

/** Makes the arrow of a coroutine that still waits: to the coroutine that holds the resource. */
function wishOf(process: number, lane: Lane, slice: Slice, holder: number): Arrow {
	return {
		at: slice.from, from: [lane.key], to: `c${process}.${holder}`, depth: 1, isWish: true,
		fromWords: lane.name, toWords: `held by coroutine ${holder}`,
	};
}

/**
 * Asks for the arrows of a selection. `holder`: the coroutine that holds the awaited resource at the end; 0: no
 * coroutine, or the wait is over.
 */
export async function askArrows(process: number, lane: Lane, slice: Slice, isOpen: boolean, holder: number): Promise<Arrow[]> {
	const coroutine = lane.coroutine || slice.coroutine, state = STATES[slice.state], from = Math.round(slice.from), until = Math.round(slice.until);
	if (!coroutine)
		return [];
	/* A wait that still lasts has no cause of its end. */
	if (state === "waiting" && isOpen)
		return holder ? [wishOf(process, lane, slice, holder)] : [];
	const back = await askBack(process, coroutine, state === "waiting" ? until : from);
	if (state !== "running")
		return back;
	const woken = await askWakes(process, [`waker=${coroutine}`, `time_ns>=${from}`, `time_ns<=${until}`], "time_ns", NR_WOKEN);
	return [...back, ...woken.map((wake) => arrowOf(process, wake, 1))];
}
