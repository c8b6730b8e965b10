// SPDX-License-Identifier: MIT
//
// Places of the program: how long coroutines wait there, how long they are ready until they run, how long they run
// then. For one place: the distributions of these times. And what occurs more often in a range of time than in the
// rest.

import { addressOf, note, viewInUse } from "./address";
import { askRows } from "./carrier";
import { copyButton, fill, h } from "./dom";
import { eventsTable } from "./events";
import { flame } from "./flame";
import { showComparison } from "./groups";
import { plot, type Cell } from "./plot";
import { count, duration, many, spent } from "./say";
import { showSource } from "./source";
import { Table, type TableColumn } from "./table";
import { brief, placeOf, type Trace } from "./trace";

const TIMES: readonly [string, string][] = [["ended_wait_p50_ns", "p50 of ended"], ["ended_wait_p99_ns", "p99 of ended"], ["ended_wait_max_ns", "longest ended"], ["ended_wait_ns", "ended, in total"],
	["delay_p99_ns", "delay p99"], ["run_p99_ns", "run p99"], ["run_max_ns", "longest run"]];

const DISTRIBUTED: readonly [string, string][] = [["waits", "How long coroutines wait here"], ["delays", "Delay from ready to running after waits here"], ["runs", "How long they run from here"]];

/** Shows the times at one place by powers of two; each bar is labelled with the longest time in it. */
async function showDistributions(into: HTMLElement, site: string): Promise<void> {
	const all = await Promise.all(DISTRIBUTED.map(async ([table, title]) => {
		const rows = await askRows("histogram", { table, column: "duration_ns", parts: 1, where: [`site=${site}`] });
		const bars = Array.from({ length: rows.nrRows }, (_, row): Cell[] => [duration(rows.number(4, row)), rows.number(2, row)]);
		return { title, bars, nr: bars.reduce((sum, bar) => sum + Number(bar[1]), 0) };
	}));
	fill(into, all.filter((one) => one.nr).map((one) => {
		const drawn = plot(one.bars, 0, 1);
		return [h("h3", null, `${one.title}: ${many(one.nr, "time")}, by length; below each bar is its longest`), drawn, h("p", { class: "actions" }, copyButton("Copy as SVG", () => drawn.querySelector("svg")?.outerHTML ?? ""))];
	}));
}

/** Compares the range of the address, if it is not the whole recording, with the rest. */
function comparison(trace: Trace, from: number, until: number): HTMLElement {
	const found = h("div", null), seconds = (id: string, ns: number): HTMLInputElement => h("input", { id, type: "number", step: "any", value: (ns / 1e9).toFixed(6) });
	const begin = seconds("compare-from", from), end = seconds("compare-until", until);
	const ask = (): void => {
		const [one, other] = [Number(begin.value) * 1e9, Number(end.value) * 1e9];
		note({ from: Math.round(one), until: Math.round(other) });
		if (other > one)
			void showComparison(found, one, other).catch((failure: Error) => fill(found, h("p", { role: "alert" }, failure.message)));
		else
			fill(found, h("p", { role: "alert" }, "A range ends later than it begins."));
	};
	if (from > trace.from || until < trace.until)
		ask();
	return h("details", { open: from > trace.from || until < trace.until }, h("summary", null, "Compare a range of time with the rest"),
		h("div", { class: "toolbar" }, h("label", null, "from ", begin, " s"), h("label", null, "to ", end, " s"), h("button", { id: "compare", class: "small", click: ask }, "Compare")), found);
}

/** Returns the number of rows of a table that belong to the place. */
async function countAt(table: string, site: string): Promise<number> {
	return (await askRows("select", { table, columns: "site", where: [`site=${site}`], limit: 1 })).nrMatched;
}

/**
 * Shows the events at one place. At many places nobody waits and nobody begins to run, such as where a coroutine is
 * started or a descriptor is closed: then the table of places has no row to show, and is hidden.
 */
async function showEvents(into: HTMLElement, site: string, table: HTMLElement): Promise<void> {
	const [nrRows, nrEvents] = await Promise.all([countAt("places", site), countAt("events", site)]);
	table.hidden = !nrRows;
	if (!nrEvents) {
		fill(into, nrRows ? null : h("p", { class: "quiet" }, "No event in this recording names the place; a function or a call is known to be there."));
		return;
	}
	const events = eventsTable("Events at this place", () => [`site=${site}`]);
	fill(into, h("h3", null, `What happened here: ${many(nrEvents, "event")}`), events.element);
	events.refresh();
}

export function showPlaces(into: HTMLElement, trace: Trace): void {
	const given = viewInUse().arguments, site = given.get("site");
	const distributions = h("div", null), source = h("div", null), events = h("div", { class: "here-events" });
	let text = given.get("text") ?? "";
	const number = (name: string, head: string, say: (value: number) => string): TableColumn =>
		({ name, head, isNumber: true, cell: (rows, column, row) => say(rows.number(column, row)) });
	const table = new Table({
		table: "places", label: "Places", noun: "place", order: given.get("order") ?? "-nr_waiting", hidden: ["site"], onOrder: (order) => note({ order }),
		where: () => [site ? `site=${site}` : "", text ? `place~*${text}*` : ""].filter((one) => one !== ""),
		columns: [
			{ name: "place", head: "place", cell: (rows, column, row) => h("a", { href: addressOf("coroutines", { site: rows.number(10, row) }), title: rows.word(column, row) }, brief(rows.word(column, row))) },
			number("nr_waiting", "wait now", count), number("nr_waits", "waits ended", count),
			...TIMES.map(([name, head]) => number(name, head, spent)),
		],
	});
	fill(into, h("h2", null, "Places"),
		site ? h("p", null, h("strong", { class: "place" }, placeOf(Number(site))), " ", h("a", { href: "#places" }, "all places")) : null, source,
		site ? null : h("div", { class: "toolbar" }, h("label", null, "place ", h("input", { id: "text", type: "search", value: text, placeholder: "part of it", input: (event: Event) => {
			text = (event.target as HTMLInputElement).value;
			note({ text });
			table.refresh();
		} }))), table.element, events, distributions, flame(),
		comparison(trace, Number(given.get("from") ?? trace.from), Number(given.get("until") ?? trace.until)));
	table.refresh();
	if (site)
		void showEvents(events, site, table.element).catch((failure: Error) => fill(events, h("p", { role: "alert" }, failure.message)));
	if (site)
		void showSource(source, Number(site)).catch(() => undefined);
	if (site)
		void showDistributions(distributions, site).catch((failure: Error) => fill(distributions, h("p", { role: "alert" }, failure.message)));
}
