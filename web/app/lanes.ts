// SPDX-License-Identifier: MIT
//
// The lanes of a timeline: which there are, in which order, and their slices for what is on the screen. Lanes are as many as
// a trace has coroutines; names and slices are asked for where they are looked at.

import { askRows } from "./carrier";
import type { Rows } from "./rows";
import { placeOf, threadName, type Trace } from "./trace";

const PAGE = 200;

export interface Lane {
	/** "c1.1025" or "t3", as requests have it. */
	key: string;
	name: string;
	hint: string;
	process: number;
	/** 0: it is a thread's. */
	coroutine: number;
	thread: number;
}

export interface Slice {
	lane: string;
	from: number;
	until: number;
	state: number;
	/** Of a thread's lane: what it ran. */
	coroutine: number;
	site: number;
	/** How many states it stands for. */
	nrStates: number;
}

export type Grouping = "finding" | "all" | "waiting" | "workers";

export const GROUPINGS: readonly [Grouping, string][] = [
	["finding", "workers, and a finding's coroutines"], ["waiting", "coroutines, longest wait first"],
	["all", "all coroutines, as they came"], ["workers", "workers alone"],
];

function threadLane(thread: number): Lane {
	return { key: `t${thread}`, name: threadName(thread), hint: "worker", process: 0, coroutine: 0, thread };
}

/** A place is told by its function alone. */
function coroutineLane(process: number, id: number, name: string): Lane {
	return { key: `c${process}.${id}`, name: `coroutine ${id}`, hint: name.replace(/, [^,]*:\d+$/, ""), process, coroutine: id, thread: 0 };
}

/** The lanes in their order. Those of coroutines are asked for by page. */
export class Lanes {
	private readonly fixed: Lane[] = [];
	private readonly pages = new Map<number, Lane[]>();
	private readonly asked = new Set<number>();
	private total = 0;

	constructor(trace: Trace, private readonly grouping: Grouping, finding: number, extra: string | null, private readonly changed: () => void) {
		for (const worker of trace.report.statistics.workers)
			this.fixed.push(threadLane(worker.thread));
		if (grouping === "finding" && trace.report.findings.length) {
			const members = trace.report.findings[Math.min(finding, trace.report.findings.length - 1)]!.members;
			for (const member of members)
				this.fixed.push(coroutineLane(member.process, member.id, member.name || placeOf(member.function_site)));
		}
		const found = /^c(\d+)\.(\d+)$/.exec(extra ?? "");
		if (found && !this.fixed.some((lane) => lane.key === extra))
			this.fixed.unshift(coroutineLane(Number(found[1]), Number(found[2]), ""));
		if (this.isPaged(trace))
			void this.load(0);
	}

	private isPaged(trace: Trace): boolean {
		return this.grouping === "all" || this.grouping === "waiting" ||
			(this.grouping === "finding" && !trace.report.findings.length);
	}

	private async load(page: number): Promise<void> {
		if (this.asked.has(page))
			return;
		this.asked.add(page);
		const rows = await askRows("select", {
			table: "coroutines", columns: "process,coroutine,name,function_site", offset: page * PAGE, limit: PAGE,
			order: this.grouping === "waiting" ? "-longest_wait_ns" : "created_ns",
		});
		this.total = rows.nrMatched;
		this.pages.set(page, Array.from({ length: rows.nrRows }, (_, row) => coroutineLane(rows.number(0, row), rows.number(1, row),
			rows.word(2, row) || placeOf(rows.number(3, row) || null))));
		this.changed();
	}

	get count(): number {
		return this.fixed.length + this.total;
	}

	/** null: it is not known yet, and asked for. */
	at(index: number): Lane | null {
		if (index < this.fixed.length)
			return this.fixed[index]!;
		const page = Math.floor((index - this.fixed.length) / PAGE);
		void this.load(page);
		return this.pages.get(page)?.[(index - this.fixed.length) % PAGE] ?? null;
	}

	/** -1: it is in none that is known. */
	indexOf(key: string): number {
		const fixed = this.fixed.findIndex((lane) => lane.key === key);
		if (fixed >= 0)
			return fixed;
		for (const [page, lanes] of this.pages) {
			const found = lanes.findIndex((lane) => lane.key === key);
			if (found >= 0)
				return this.fixed.length + page * PAGE + found;
		}
		return -1;
	}
}

function slicesOf(rows: Rows, keys: readonly string[]): Map<string, Slice[]> {
	const byLane = new Map<string, Slice[]>(keys.map((key) => [key, []]));
	for (let row = 0; row < rows.nrRows; row++) {
		const lane = keys[rows.number(0, row) || 0]!;
		byLane.get(lane)!.push({
			lane, from: rows.number(1, row), until: rows.number(2, row), state: rows.number(3, row),
			coroutine: rows.number(4, row) || 0, site: rows.number(5, row) || 0, nrStates: rows.number(6, row),
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
