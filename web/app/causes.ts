// SPDX-License-Identifier: MIT
//
// Why a selected state came about: who made its coroutine go on, who had made that one go on, some links back; and whom it made
// go on itself. Bounded in depth and in number, so that a picture stays one.

import { askRows } from "./carrier";
import type { Lane } from "./lanes";
import type { Slice } from "./slices";
import { STATES } from "./states";
import { threadName } from "./trace";

/** Links back from the selection; arrows away from it. */
const DEPTH = 4;
const NR_WOKEN = 8;

export interface Arrow {
	at: number;
	/** Lanes that it may begin at: the waker's, or else that of the thread on which it was. */
	from: string[];
	to: string;
	fromWords: string;
	toWords: string;
	/** 1: of the selection itself. */
	depth: number;
	/** It is waited for what the other one has: nothing came yet. */
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

/** What made it go on, and what made that one go on: the latest first. */
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

/** For a coroutine that waits still: who has what it waits for. */
function wishOf(process: number, lane: Lane, slice: Slice, holder: number): Arrow {
	return {
		at: slice.from, from: [lane.key], to: `c${process}.${holder}`, depth: 1, isWish: true,
		fromWords: lane.name, toWords: `held by coroutine ${holder}`,
	};
}

/** The arrows of a selection. `holder`: who has what it waits for at the end; 0: nobody, or it does not wait any more. */
export async function askArrows(process: number, lane: Lane, slice: Slice, isOpen: boolean, holder: number): Promise<Arrow[]> {
	const coroutine = lane.coroutine || slice.coroutine, state = STATES[slice.state], from = Math.round(slice.from), until = Math.round(slice.until);
	if (!coroutine)
		return [];
	/* What is waited for still has no cause of its end. */
	if (state === "waiting" && isOpen)
		return holder ? [wishOf(process, lane, slice, holder)] : [];
	const back = await askBack(process, coroutine, state === "waiting" ? until : from);
	if (state !== "running")
		return back;
	const woken = await askWakes(process, [`waker=${coroutine}`, `time_ns>=${from}`, `time_ns<=${until}`], "time_ns", NR_WOKEN);
	return [...back, ...woken.map((wake) => arrowOf(process, wake, 1))];
}
