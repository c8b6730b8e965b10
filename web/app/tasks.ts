// SPDX-License-Identifier: MIT
//
// Tasks and regions that the program named: the slowest come first.

import { addressOf } from "./address";
import { fill, h } from "./dom";
import { count, moment, spent } from "./say";
import { Table } from "./table";
import type { Trace } from "./trace";

export function showTasks(into: HTMLElement, trace: Trace): void {
	if (!trace.report.spans.length) {
		fill(into, h("h2", null, "Tasks and regions"), h("p", null, "The program names none. With ", h("code", null, "ctp_task_begin"), " and ", h("code", null, "ctp_region_begin"),
			" it says what its coroutines work for, and the report tells where the time of each went."));
		return;
	}
	const spans = new Table({
		table: "spans", label: "By name", noun: "name", order: "-total_ns", where: () => [], columns: [
			{ name: "kind", head: "kind", cell: (rows, column, row) => rows.word(column, row) }, { name: "name", head: "name", cell: (rows, column, row) => rows.word(column, row) },
			...[["nr_ended", "ended"], ["nr_open", "go on"]].map(([name, head]) => ({ name: name!, head: head!, isNumber: true, cell: (rows: any, column: number, row: number) => count(rows.number(column, row)) })),
			...[["p50_ns", "p50"], ["p99_ns", "p99"], ["max_ns", "most"], ["total_ns", "all"], ["running_ns", "ran"], ["ready_ns", "ready"], ["waiting_ns", "waited"]].map(([name, head]) =>
				({ name: name!, head: head!, isNumber: true, cell: (rows: any, column: number, row: number) => spent(rows.number(column, row)) })),
		],
	});
	const tasks = new Table({
		table: "tasks", label: "Tasks", noun: "task", order: "-duration_ns", where: () => [], columns: [
			{ name: "task", head: "task", isNumber: true, cell: (rows, column, row) => String(rows.number(column, row)) }, { name: "name", head: "name", cell: (rows, column, row) => rows.word(column, row) },
			{ name: "from_ns", head: "began", isNumber: true, cell: (rows, column, row) => h("a", { href: addressOf("timeline", { at: rows.number(column, row) }) }, moment(rows.number(column, row))) },
			...[["duration_ns", "took"], ["running_ns", "ran"], ["ready_ns", "ready"], ["waiting_ns", "waited"]].map(([name, head]) =>
				({ name: name!, head: head!, isNumber: true, cell: (rows: any, column: number, row: number) => spent(rows.number(column, row)) })),
		],
	});
	fill(into, h("h2", null, "Tasks and regions"), h("h3", null, "By name"), spans.element, h("h3", null, "Tasks, the slowest first"), tasks.element);
	spans.refresh();
	tasks.refresh();
}
