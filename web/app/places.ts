// SPDX-License-Identifier: MIT
//
// Places of the program: how long is waited there, how long it takes until those run that were woken, how long they run then.

import { addressOf, note, viewInUse } from "./address";
import { fill, h } from "./dom";
import { count, duration } from "./say";
import { Table, type TableColumn } from "./table";
import { brief, placeOf, type Trace } from "./trace";

const TIMES: readonly [string, string][] = [["ended_wait_p50_ns", "ended p50"], ["ended_wait_p99_ns", "ended p99"], ["ended_wait_max_ns", "ended, most"], ["ended_wait_ns", "all ended"],
	["delay_p99_ns", "delay p99"], ["run_p99_ns", "run p99"], ["run_max_ns", "longest run"]];

export function showPlaces(into: HTMLElement, _trace: Trace): void {
	const given = viewInUse().arguments, site = given.get("site");
	let text = given.get("text") ?? "";
	const number = (name: string, head: string, say: (value: number) => string): TableColumn =>
		({ name, head, isNumber: true, cell: (rows, column, row) => say(rows.number(column, row)) });
	const table = new Table({
		table: "places", label: "Places", order: given.get("order") ?? "-nr_waiting", hidden: ["site"], onOrder: (order) => note({ order }),
		where: () => [site ? `site=${site}` : "", text ? `place~*${text}*` : ""].filter((one) => one !== ""),
		columns: [
			{ name: "place", head: "place", cell: (rows, column, row) => h("a", { href: addressOf("coroutines", { site: rows.number(10, row) }), title: rows.word(column, row) }, brief(rows.word(column, row))) },
			number("nr_waiting", "wait now", count), number("nr_waits", "waits", count),
			...TIMES.map(([name, head]) => number(name, head, (ns) => ns ? duration(ns) : "")),
		],
	});
	fill(into, h("h2", null, "Places"),
		site ? h("p", null, h("strong", { class: "place" }, placeOf(Number(site))), " ", h("a", { href: "#places" }, "all places")) : null,
		h("div", { class: "toolbar" }, h("label", null, "place ", h("input", { id: "text", type: "search", value: text, placeholder: "part of it", input: (event: Event) => {
			text = (event.target as HTMLInputElement).value;
			note({ text });
			table.refresh();
		} }))), table.element);
	table.refresh();
}
