// SPDX-License-Identifier: MIT
//
// Ranges that are shown besides the states of coroutines: pauses and garbage collection, of all lanes or of one lane,
// and the regions that a program records. The ranges are drawn on the axis, and below the bars of lanes.

import { askRows } from "./carrier";
import type { Lane } from "./lanes";
import { duration, many } from "./say";
import type { Trace } from "./trace";

/** Only this many ranges are shown, the longest: the others are narrower than a pixel, or lie behind the longest. */
const MOST = 2000;

export interface Beside {
	/** "pause", "gc-mark" ... (ranges.def); "region". */
	kind: string;
	name: string;
	/** The lane, such as "c1.1025" or "t3"; "": the range concerns all lanes. */
	lane: string;
	from: number;
	until: number;
}

/** Kinds of ranges that concern a whole process (ranges.def). */
const OF_ALL = ["pause", "gc-mark"];

/** Returns the losses whose time is known at least at one side: at the other, they may reach to the recording's end. */
function timedLosses({ report, from, until }: Trace): { name: string; from: number; until: number }[] {
	return report.quality.losses.filter(({ count, first_ns: first, last_ns: last }) => count > 0 && (first !== null || last !== null))
		.map(({ count, reason, first_ns: first, last_ns: last }) => ({ name: `${many(count, "event")} (${reason})`, from: first ?? from, until: last ?? until }));
}

export function hasLosses(trace: Trace): boolean {
	return timedLosses(trace).length > 0;
}

export function hasBesides({ report }: Trace): boolean {
	return report.runtimes.some(({ ranges }) => ranges.length > 0);
}

export function hasRegions({ report }: Trace): boolean {
	return report.spans.some(({ kind }) => kind === "region");
}

function laneKey(process: number, coroutine: number, thread: number): string {
	return coroutine ? `c${process}.${coroutine}` : `t${thread}`;
}

async function askTable(table: string, kindColumn: string, from: number, until: number): Promise<Beside[]> {
	const rows = await askRows("select", {
		table, columns: `${kindColumn}name,process,coroutine,thread,from_ns,until_ns`, order: "-duration_ns", limit: MOST,
		where: [`until_ns>=${Math.floor(from)}`, `from_ns<=${Math.ceil(until)}`],
	});
	const first = kindColumn ? 1 : 0;
	return Array.from({ length: rows.nrRows }, (_, row) => {
		const kind = first ? rows.word(0, row) : "region", [process, coroutine, thread, begin, end] = [1, 2, 3, 4, 5].map((at) => rows.number(first + at, row));
		return { kind, name: rows.word(first, row), lane: OF_ALL.includes(kind) ? "" : laneKey(process!, coroutine || 0, thread || 0), from: begin!, until: end! };
	});
}

/** Returns the losses of events, of any thread, which the axis shows. */
function lossesOf(trace: Trace, from: number, until: number): Beside[] {
	return timedLosses(trace).filter((one) => one.until >= from && one.from <= until).map((one) => ({ kind: "lost", lane: "", ...one })).slice(0, MOST);
}

/** Regions come first, so that the runtime's ranges are drawn above them. */
export async function askBesides(trace: Trace, from: number, until: number): Promise<Beside[]> {
	const [regions, ranges] = await Promise.all([
		hasRegions(trace) ? askTable("regions", "", from, until) : [], hasBesides(trace) ? askTable("ranges", "kind,", from, until) : []]);
	return [...regions, ...ranges, ...lossesOf(trace, from, until)];
}

/**
 * Says what goes on at a moment on a lane, or on all lanes if `lane` is null. The shortest range counts: it is the
 * innermost.
 */
export function sayBeside(all: readonly Beside[], lane: Lane | null, at: number, reach: number): string {
	const key = lane?.key ?? "";
	const here = all.filter((one) => one.lane === key && at >= one.from - reach && at <= one.until + reach);
	const one = here.reduce<Beside | null>((best, next) => !best || next.until - next.from < best.until - best.from ? next : best, null);
	return one ? `${one.kind}${one.name && one.name !== one.kind ? ` ${one.name}` : ""}, ${duration(one.until - one.from)}` : "";
}
