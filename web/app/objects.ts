// SPDX-License-Identifier: MIT
//
// The resources that were waited for: locks, channels and all others, with the number of waiters of each at the end and
// its holder then. Waits for a coroutine are shown on the screen of that coroutine.

import { note, viewInUse } from "./address";
import { fill, h } from "./dom";
import { count, duration, moment, spent } from "./say";
import { Table } from "./table";
import { briefPlaceLink, coroutineLink, type Trace } from "./trace";

const PROCESS = 9;

export function showObjects(into: HTMLElement, trace: Trace): void {
	const given = viewInUse().arguments;
	let text = given.get("text") ?? "";
	const table = new Table({
		table: "objects", label: "What was waited for", noun: "resource", order: given.get("order") ?? "-nr_waiting", hidden: ["process"],
		onOrder: (order) => note({ order }), where: () => ["nr_waits>0", text ? `object~*${text}*` : ""].filter((one) => one !== ""),
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
			{ name: "waited_ns", head: "all waits", isNumber: true, cell: (rows, column, row) => spent(rows.number(column, row)) },
			{ name: "longest_wait_ns", head: "longest", isNumber: true, cell: (rows, column, row) => spent(rows.number(column, row)) },
		],
	});
	fill(into, h("h2", null, "What was waited for"),
		h("p", { class: "quiet" }, "Each lock, channel, queue or descriptor that was waited for. Open who has it: its own screen tells what it waits for in turn."),
		h("div", { class: "toolbar" }, h("label", null, "what ", h("input", { id: "text", type: "search", value: text, placeholder: "part of it", input: (event: Event) => {
			text = (event.target as HTMLInputElement).value;
			note({ text });
			table.refresh();
		} })), h("a", { class: "button small", href: "#waits" }, "Who waits for whom")),
		table.element);
	table.refresh();
}
