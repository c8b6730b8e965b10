// SPDX-License-Identifier: MIT
//
// Shows a cell of an SQL answer: a coroutine, a place, an event or a moment becomes a link to it, and nanoseconds get
// units that fit. The name of a column says what the column holds, if the view's tables have a column of that name.

import { addressOf } from "./address";
import { askJson } from "./carrier";
import { h, type Child } from "./dom";
import type { Cell } from "./plot";
import { duration, moment } from "./say";
import { brief, coroutineLink, placeLink, type Trace } from "./trace";

/** The types of columns by name; "" for a name that has different types in two tables. */
const types = new Map<string, string>();

interface Table {
	columns: { name: string; type: string }[];
}

export async function learnTypes(): Promise<void> {
	for (const { columns } of await askJson<Table[]>("tables"))
		for (const { name, type } of columns)
			types.set(name, (types.get(name) ?? type) === type ? type : "");
}

export function sayCell(cell: Cell): string {
	return cell === null ? "" : String(cell);
}

/** The cells of a row, by the names of its columns. */
type Named = (name: string) => Cell;

/** Returns the process that the row is about; null: the row does not say, and there are several processes. */
function processOf(trace: Trace, named: Named): number | null {
	const process = named("process");
	return typeof process === "number" ? process : trace.report.processes.length === 1 ? 1 : null;
}

function laneOf(trace: Trace, named: Named): string | undefined {
	const coroutine = named("coroutine"), process = processOf(trace, named);
	return typeof coroutine === "number" && process ? `c${process}.${coroutine}` : undefined;
}

/** A column whose name ends in "_ns" is a duration, unless it is known to be a moment, or belongs to another clock. */
function numberOf(trace: Trace, name: string, cell: number, named: Named): Child {
	const type = types.get(name), process = processOf(trace, named);
	if (type === "coroutine" && cell && process)
		return coroutineLink(process, cell, String(cell));
	if (type === "site" && trace.places.has(cell))
		return placeLink(cell, String(cell));
	if (type === "event")
		return h("a", { href: addressOf("timeline", { event: cell, lane: laneOf(trace, named) }) }, String(cell));
	if (!name.endsWith("_ns") || name.startsWith("epoch_"))
		return String(cell);
	return type === "time" ? h("a", { href: addressOf("timeline", { at: cell, lane: laneOf(trace, named) }) }, moment(cell)) : duration(cell);
}

/** Site numbers by the words of a place, as answers spell the place. */
const sites = new WeakMap<Trace, Map<string, number>>();

function siteOf(trace: Trace, words: string): number | undefined {
	let known = sites.get(trace);
	if (!known) {
		known = new Map([...trace.places].map(([site, place]) => [place, site]));
		sites.set(trace, known);
	}
	return known.get(words);
}

export function showCell(trace: Trace, columns: readonly string[], row: readonly Cell[], column: number): Child {
	const cell = row[column] ?? null, name = columns[column]!, named: Named = (wanted) => row[columns.indexOf(wanted)] ?? null;
	if (typeof cell === "number")
		return numberOf(trace, name, cell, named);
	const site = typeof cell === "string" && name.endsWith("place") ? siteOf(trace, cell) : undefined;
	return site ? placeLink(site, brief(sayCell(cell))) : sayCell(cell);
}
