// SPDX-License-Identifier: MIT
//
// All coroutines: a table that is sorted and filtered by the engine, each with a strip of its life.

import { note, viewInUse } from "./address";
import { fill, h, sharpen } from "./dom";
import { askSlices } from "./slices";
import type { Rows } from "./rows";
import { count, duration, moment } from "./say";
import { drawState, palette } from "./states";
import { Table, type TableColumn } from "./table";
import { brief, briefPlaceLink, coroutineLink, placeOf, type Trace } from "./trace";

const STRIP_WIDTH = 120;
const STRIP_HEIGHT = 14;
const STATE_NAMES = ["", "unseen", "ready", "running", "waiting", "done", "destroyed"];

function columnsOf(trace: Trace): TableColumn[] {
	const time = (name: string, head: string): TableColumn =>
		({ name, head, isNumber: true, cell: (rows, column, row) => duration(rows.number(column, row)) });
	const number = (name: string, head: string): TableColumn =>
		({ name, head, isNumber: true, cell: (rows, column, row) => count(rows.number(column, row)) });
	return [
		{ name: "coroutine", head: "coroutine", isNumber: true, cell: (rows, column, row) => [
			coroutineLink(rows.number(12, row), rows.number(column, row), String(rows.number(column, row)))] },
		{ name: "name", head: "name", cell: (rows, column, row) => rows.word(column, row) || brief(placeOf(rows.number(13, row) || null)) },
		{ name: "state", head: "state", cell: (rows, column, row) => [
			h("i", { class: `bar ${STATE_NAMES[rows.number(column, row) + 1]}`, "aria-hidden": "true" }), STATE_NAMES[rows.number(column, row) + 1] ?? ""] },
		{ name: "since_ns", head: "since", isNumber: true, cell: (rows, column, row) => h("span", { title: moment(rows.number(column, row)) },
			duration(trace.until - rows.number(column, row))) },
		{ name: "wait_site", head: "waits, or waited last, at", cell: (rows, column, row) => briefPlaceLink(rows.number(column, row)) },
		{ name: "wait_object", head: "for", cell: (rows, column, row) => rows.word(column, row) },
		time("longest_wait_ns", "longest wait"), time("waiting_ns", "waited"), time("ready_ns", "ready"), time("running_ns", "ran"),
		number("nr_resumes", "resumes"),
		{ name: "created_ns", head: "its life", cell: () => h("canvas", { class: "strip", width: STRIP_WIDTH, height: STRIP_HEIGHT, "aria-hidden": "true" }) },
	];
}

/** Strips of the rows on the screen, with one request for all of them. */
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
	const filters = { state: given.get("state") ?? "", text: given.get("text") ?? "", site: given.get("site") ?? "", least: given.get("least") ?? "" };
	let timer = 0;
	const where = (): string[] => [
		filters.state ? `state=${filters.state}` : "", filters.text ? `name~*${filters.text}*` : "", filters.site ? `wait_site=${filters.site}` : "",
		Number(filters.least) > 0 ? `longest_wait_ns>=${Math.round(Number(filters.least) * 1e6)}` : "",
	].filter((one) => one !== "");
	const table = new Table({
		table: "coroutines", columns: columnsOf(trace), hidden: ["process", "function_site"], where, order: given.get("order") ?? "-longest_wait_ns",
		label: "Coroutines", onOrder: (order) => note({ order }),
		onRows: (shown) => {
			clearTimeout(timer);
			timer = window.setTimeout(() => void drawStrips(shown, trace).catch(() => undefined), 60);
		},
	});
	const change = (key: keyof typeof filters) => (event: Event): void => {
		filters[key] = (event.target as HTMLInputElement).value;
		note({ [key]: filters[key] });
		table.refresh();
	};
	fill(into, h("h2", null, "Coroutines"), h("div", { class: "toolbar" },
		h("label", null, "state ", h("select", { id: "of-state", change: change("state") },
			STATE_NAMES.map((state) => h("option", { value: state, selected: state === filters.state }, state || "any")))),
		h("label", null, "name ", h("input", { id: "text", type: "search", value: filters.text, placeholder: "part of it", input: change("text") })),
		h("label", null, "waits at ", h("select", { id: "site", change: change("site") }, h("option", { value: "" }, "any place"),
			trace.report.waiting.filter((one) => one.site).map((one) => h("option", { value: one.site!, selected: String(one.site) === filters.site },
				`${placeOf(one.site)} (${count(one.coroutines)})`)))),
		h("label", null, "waited for at least ", h("input", { id: "least", type: "number", min: 0, value: filters.least, input: change("least") }), " ms")),
	table.element);
	table.refresh();
	return () => clearTimeout(timer);
}
