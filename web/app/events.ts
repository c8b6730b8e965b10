// SPDX-License-Identifier: MIT
//
// Events as a table, in the order in which they happened.

import { h } from "./dom";
import { addressOf } from "./address";
import { KINDS } from "./names";
import { count, moment } from "./say";
import { Table } from "./table";
import { briefPlaceLink, coroutineLink, threadName } from "./trace";

/** A table of the events that meet all conditions; a click on a time leads to the event on the timeline. */
export function eventsTable(label: string, where: () => readonly string[]): Table {
	return new Table({
		table: "events", label, noun: "event", order: "event", where, hidden: ["process"], columns: [
			{ name: "event", head: "event", isNumber: true, cell: (rows, column, row) => count(rows.number(column, row)) },
			{ name: "time_ns", head: "time", isNumber: true, cell: (rows, column, row) => {
				const at = rows.number(column, row), coroutine = rows.number(3, row), lane = coroutine ? `c${rows.number(6, row)}.${coroutine}` : undefined;
				return h("a", { href: addressOf("timeline", { at, lane, event: rows.number(0, row) }) }, moment(at, 1));
			} },
			{ name: "kind", head: "what", cell: (rows, column, row) => KINDS[rows.number(column, row)] ?? "" },
			{ name: "coroutine", head: "coroutine", isNumber: true, cell: (rows, column, row) => rows.number(column, row)
				? coroutineLink(rows.number(6, row), rows.number(column, row), String(rows.number(column, row))) : "" },
			{ name: "thread", head: "thread", cell: (rows, column, row) => threadName(rows.number(column, row) || null) },
			{ name: "site", head: "place", cell: (rows, column, row) => briefPlaceLink(rows.number(column, row) || 0) },
		],
	});
}
