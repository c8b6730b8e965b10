// SPDX-License-Identifier: MIT
//
// What is waited for at the end: locks, channels and all else, with how many wait for each and who has it. The chain behind
// one coroutine is told on its own screen.

import { note, viewInUse } from "./address";
import { fill, h } from "./dom";
import { count, duration, moment } from "./say";
import { Table } from "./table";
import { briefPlaceLink, coroutineLink, type Trace } from "./trace";

const PROCESS = 9;

export function showWaits(into: HTMLElement, trace: Trace): void {
	const given = viewInUse().arguments;
	const table = new Table({
		table: "objects", label: "What is waited for", order: given.get("order") ?? "-nr_waiting", hidden: ["process"],
		onOrder: (order) => note({ order }), where: () => ["nr_waits>0"],
		columns: [
			{ name: "object", head: "what", cell: (rows, column, row) => rows.word(column, row) },
			{ name: "name", head: "name", cell: (rows, column, row) => rows.word(column, row) },
			{ name: "nr_waiting", head: "wait now", isNumber: true, cell: (rows, column, row) => count(rows.number(column, row)) },
			{ name: "owner", head: "who has it", isNumber: true, cell: (rows, column, row) =>
				rows.number(column, row) ? coroutineLink(rows.number(PROCESS, row), rows.number(column, row), String(rows.number(column, row))) : "" },
			{ name: "owner_site", head: "taken at", cell: (rows, column, row) => briefPlaceLink(rows.number(column, row)) },
			{ name: "owned_ns", head: "for", isNumber: true, cell: (rows, column, row) =>
				h("span", { title: moment(rows.number(column, row)) }, duration(trace.until - rows.number(column, row))) },
			{ name: "nr_waits", head: "waits", isNumber: true, cell: (rows, column, row) => count(rows.number(column, row)) },
			{ name: "waited_ns", head: "all waits", isNumber: true, cell: (rows, column, row) => duration(rows.number(column, row)) },
			{ name: "longest_wait_ns", head: "longest", isNumber: true, cell: (rows, column, row) => duration(rows.number(column, row)) },
		],
	});
	fill(into, h("h2", null, "What is waited for"),
		h("p", { class: "quiet" }, "Each lock, channel, queue or descriptor that was waited for. Open who has it: its own screen tells what it waits for in turn."),
		table.element);
	table.refresh();
}
