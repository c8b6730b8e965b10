// SPDX-License-Identifier: MIT
//
// All coroutines: a table that the engine sorts and filters, each row with a strip of the coroutine's life; or the
// number of coroutines by place.

import { addressOf, note, viewInUse } from "./address";
import { fill, h, sharpen } from "./dom";
import { showGroups } from "./groups";
import type { Rows } from "./rows";
import { count, duration, moment, spent } from "./say";
import { askSlices } from "./slices";
import { drawState, palette, stateWord } from "./states";
import { Table, type TableColumn } from "./table";
import { brief, briefPlaceLink, coroutineLink, placeOf, type Trace } from "./trace";

const STRIP_WIDTH = 120;
const STRIP_HEIGHT = 14;
/** Groupings of coroutines: a column of places, and the filter of the address that a group sets. */
const GROUPINGS: readonly (readonly [string, string, string])[] = [
	["wait_site", "site", "where they wait, or waited last"], ["function_site", "function", "their function"], ["spawn_site", "spawn", "where they were started"],
];
const STATE_NAMES = ["", "unseen", "ready", "running", "waiting", "syscall", "done", "destroyed"];

function columnsOf(trace: Trace): TableColumn[] {
	const time = (name: string, head: string): TableColumn =>
		({ name, head, isNumber: true, cell: (rows, column, row) => spent(rows.number(column, row)) });
	const number = (name: string, head: string): TableColumn =>
		({ name, head, isNumber: true, cell: (rows, column, row) => count(rows.number(column, row)) });
	return [
		{ name: "coroutine", head: "coroutine", isNumber: true, cell: (rows, column, row) => [
			coroutineLink(rows.number(12, row), rows.number(column, row), String(rows.number(column, row)))] },
		{ name: "name", head: "name", cell: (rows, column, row) => rows.word(column, row) || brief(placeOf(rows.number(13, row) || null)) },
		{ name: "state", head: "state", cell: (rows, column, row) => [
			h("i", { class: `bar ${STATE_NAMES[rows.number(column, row) + 1]}`, "aria-hidden": "true" }), stateWord(STATE_NAMES[rows.number(column, row) + 1] ?? "")] },
		{ name: "created_ns", head: "its life", cell: () => h("canvas", { class: "strip", width: STRIP_WIDTH, height: STRIP_HEIGHT, "aria-hidden": "true" }) },
		{ name: "since_ns", head: "state for", isNumber: true, cell: (rows, column, row) => h("span", { title: moment(rows.number(column, row)) },
			duration(trace.until - rows.number(column, row))) },
		{ name: "wait_site", head: "waits, or waited last, at", cell: (rows, column, row) => briefPlaceLink(rows.number(column, row)) },
		{ name: "wait_object", head: "for", cell: (rows, column, row) => rows.word(column, row) },
		time("longest_wait_ns", "longest wait"), time("waiting_ns", "waited"), time("ready_ns", "ready"), time("running_ns", "ran"),
		number("nr_resumes", "resumes"),
	];
}

/** Draws the strips of the rows on the screen, with one request for all of them. */
async function drawStrips(shown: readonly { element: HTMLTableRowElement; rows: Rows; row: number }[], trace: Trace): Promise<void> {
	const keys = shown.map(({ rows, row }) => `c${rows.number(12, row)}.${rows.number(0, row)}`), length = trace.until - trace.from;
	const slices = await askSlices(keys, trace.from, trace.until, length / STRIP_WIDTH), colours = palette();
	shown.forEach(({ element }, index) => {
		const canvas = element.querySelector("canvas");
		if (!canvas)
			return;
		const context = sharpen(canvas, STRIP_WIDTH, STRIP_HEIGHT);
		for (const slice of slices.get(keys[index]!) ?? [])
			drawState(context, colours, slice.state, (slice.from - trace.from) / length * STRIP_WIDTH, 0,
				(slice.until - slice.from) / length * STRIP_WIDTH, STRIP_HEIGHT, slice.resource);
	});
}

export function showCoroutines(into: HTMLElement, trace: Trace): () => void {
	const given = viewInUse().arguments;
	const kept = (name: string): string => given.get(name) ?? "";
	const filters = { state: kept("state"), text: kept("text"), site: kept("site"), function: kept("function"), spawn: kept("spawn"), task: kept("task"), least: kept("least"), age: kept("age") };
	let timer = 0, groupedBy = kept("group");
	const where = (): string[] => [
		filters.state ? `state=${filters.state}` : "", filters.text ? `name~*${filters.text}*` : "", filters.site ? `wait_site=${filters.site}` : "",
		filters.function ? `function_site=${filters.function}` : "", filters.spawn ? `spawn_site=${filters.spawn}` : "",
		/^\d+$/.test(filters.task) ? `task=${filters.task}` : "", Number(filters.age) > 0 ? `created_ns<=${Math.round(trace.until - Number(filters.age) * 1e6)}` : "",
		Number(filters.least) > 0 ? `longest_wait_ns>=${Math.round(Number(filters.least) * 1e6)}` : "",
	].filter((one) => one !== "");
	const table = new Table({
		table: "coroutines", noun: "coroutine", columns: columnsOf(trace), hidden: ["process", "function_site"], where, order: given.get("order") ?? "-longest_wait_ns",
		label: "Coroutines", onOrder: (order) => note({ order }),
		onRows: (shown) => {
			clearTimeout(timer);
			timer = window.setTimeout(() => void drawStrips(shown, trace).catch(() => undefined), 60);
		},
	});
	const change = (key: keyof typeof filters) => (event: Event): void => {
		filters[key] = (event.target as HTMLInputElement).value;
		note({ [key]: filters[key] });
		refresh();
	};
	const found = h("div", null);
	const refresh = (): void => {
		const grouping = GROUPINGS.find(([column]) => column === groupedBy);
		if (!grouping) {
			fill(found, table.element);
			table.refresh();
			return;
		}
		void showGroups(found, grouping[0], where(), grouping[1]).catch((failure: Error) => fill(found, h("p", { role: "alert" }, failure.message)));
	};
	const chosen = GROUPINGS.filter(([, filter]) => filter !== "site" && filters[filter as "function" | "spawn"]).map(([, filter, words]) =>
		h("p", null, `By ${words}: `, h("strong", { class: "place" }, placeOf(Number(filters[filter as "function" | "spawn"]))), " ", h("a", { href: addressOf("coroutines") }, "all coroutines")));
	fill(into, h("h2", null, "Coroutines"), h("div", { class: "toolbar" },
		h("label", null, "state ", h("select", { id: "of-state", change: change("state") },
			STATE_NAMES.map((state) => h("option", { value: state, selected: state === filters.state }, stateWord(state) || "any")))),
		h("label", null, "name ", h("input", { id: "text", type: "search", value: filters.text, placeholder: "part of it", input: change("text") })),
		h("label", null, "waits at ", h("select", { id: "site", change: change("site") }, h("option", { value: "" }, "any place"),
			trace.report.waiting.filter((one) => one.site).map((one) => h("option", { value: one.site!, selected: String(one.site) === filters.site },
				`${placeOf(one.site)} (${count(one.coroutines)})`)))),
		h("label", null, "waited for at least ", h("input", { id: "least", type: "number", min: 0, value: filters.least, input: change("least") }), " ms"),
		h("label", null, "older than ", h("input", { id: "age", type: "number", min: 0, value: filters.age, input: change("age") }), " ms"),
		h("label", null, "task ", h("input", { id: "task", inputmode: "numeric", size: 6, value: filters.task, placeholder: "number", input: change("task") })),
		h("label", null, "counted by ", h("select", { id: "group", change: (event: Event) => {
			groupedBy = (event.target as HTMLSelectElement).value;
			note({ group: groupedBy });
			refresh();
		} }, h("option", { value: "" }, "nothing"), GROUPINGS.map(([column, , words]) => h("option", { value: column, selected: column === groupedBy }, words))))),
	chosen, found);
	refresh();
	return () => clearTimeout(timer);
}
