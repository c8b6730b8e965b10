// SPDX-License-Identifier: MIT
//
// An area of the timeline: a range of time of some lanes, or of all; and how long the coroutines ran, waited and were
// delayed there, by coroutine or by place. The engine computes the sums.

import { askRows } from "./carrier";
import { fill, h } from "./dom";
import type { Lane } from "./lanes";
import { sayRange, type Range } from "./range";
import type { Rows } from "./rows";
import { count, duration, many } from "./say";
import { listed, queryOf } from "./table";
import { briefPlaceLink, coroutineLink } from "./trace";

/** At most this many sums are shown. */
const SHOWN = 100;
/** At most this many lanes are requested: a server accepts no more. */
const LANES_MAX = 4096;

/** Columns of the answer (V-24). */
const SUMS = { process: 0, coroutine: 1, site: 2, running: 3, runs: 4, waiting: 5, waits: 6, ready: 7, delays: 8 } as const;

export interface AreaOf extends Range {
	/** The keys of the area's uppermost and lowermost lanes; "": the area has all coroutines. */
	first: string;
	last: string;
}

/** Parses an area in the address; null: the address has no area. */
export function areaOf(words: string | null): AreaOf | null {
	const [from, until, first = "", last = ""] = (words ?? "").split(" "), range = { from: Number(from || NaN), until: Number(until || NaN) };
	return range.from < range.until ? { ...range, first, last } : null;
}

export function sayArea({ from, until, first, last }: AreaOf): string {
	return `${Math.round(from)} ${Math.round(until)} ${first} ${last}`.trim();
}

/** Returns the command that prints the same sums in a terminal; a thread counts with the runs on it. */
function commandOf({ from, until }: Range, lanes: readonly Lane[], by: string): string {
	const spent = (state: string): string => `sum(CASE state WHEN '${state}' THEN min(until_ns, ${until}) - max(from_ns, ${from}) ELSE 0 END)`;
	const ids = lanes.flatMap(({ coroutine }) => coroutine || []), threads = lanes.flatMap(({ thread }) => thread || []);
	const who = [ids.length ? `coroutine IN (${ids.join(", ")})` : "", threads.length ? `(state = 'running' AND thread IN (${threads.join(", ")}))` : ""].filter((one) => one);
	return queryOf(`SELECT ${by === "site" ? "place" : "process, coroutine"}, ${spent("running")} AS running_ns, sum(state = 'running') AS runs, ` +
		`${spent("waiting")} AS waiting_ns, sum(state = 'waiting') AS waits, ${spent("ready")} AS ready_ns, sum(state = 'ready') AS delays FROM states ` +
		`WHERE until_ns >= ${from} AND from_ns < ${until}${who.length ? ` AND (${who.join(" OR ")})` : ""} ` +
		`GROUP BY ${by === "site" ? "process, site" : "process, coroutine"} ORDER BY waiting_ns DESC, running_ns DESC`);
}

export class Area {
	readonly element = h("section", { class: "area", "aria-label": "Sums of the area", hidden: true });
	private by = "coroutine";
	private nrAsked = 0;

	/** `zoom` shows only the area's range, `close` removes the area. */
	constructor(private readonly zoom: () => void, private readonly close: () => void) {}

	hide(): void {
		this.nrAsked++;
		this.element.hidden = true;
	}

	async show(area: AreaOf, lanes: readonly Lane[]): Promise<void> {
		const asked = ++this.nrAsked, from = Math.round(area.from), until = Math.round(area.until);
		const seen = lanes.filter(({ coroutine, thread }) => coroutine || thread).slice(0, LANES_MAX);
		if (lanes.length && !seen.length)
			return this.hide();
		const rows = await askRows("sums", { from, until, lanes: seen.map(({ key }) => key).join(",") || undefined, by: this.by, limit: SHOWN });
		if (asked === this.nrAsked)
			this.tell({ from, until }, seen, rows, () => void this.show(area, lanes));
	}

	private tell(range: Range, lanes: readonly Lane[], rows: Rows, again: () => void): void {
		const { by } = this, choice = h("select", { id: "area-by", "aria-label": "Sums by", change: (event: Event) => {
			this.by = (event.target as HTMLSelectElement).value;
			again();
		} }, [["coroutine", "by coroutine"], ["site", "by place"]].map(([name, words]) => h("option", { value: name, selected: name === by }, words!)));
		const cells = (row: number): (Node | string)[] => {
			const number = (name: keyof typeof SUMS): number => rows.number(SUMS[name], row) || 0;
			return [by === "site" ? briefPlaceLink(number("site")) || "place not known" : coroutineLink(number("process"), number("coroutine")),
				duration(number("running")), count(number("runs")), duration(number("waiting")), count(number("waits")), duration(number("ready")), count(number("delays"))];
		};
		this.element.hidden = false;
		fill(this.element, h("div", { class: "toolbar" }, h("strong", null, `Area: ${sayRange(range)}, ${lanes.length ? many(lanes.length, "lane") : "all coroutines"}`), choice,
			h("button", { class: "small", "data-key": "area-zoom", click: this.zoom }, "zoom to it"), h("button", { class: "small", "data-key": "area-close", click: this.close }, "close"),
			rows.nrMatched > rows.nrRows ? h("span", { class: "quiet" }, `the first ${rows.nrRows} of ${count(rows.nrMatched)}`) : null),
		listed({
			label: "Sums of the area", heads: [by === "site" ? "place" : "coroutine", "ran", "runs", "waited", "waits", "ready", "delays"], isNumber: (column) => column > 0,
			rows: Array.from({ length: rows.nrRows }, (_, row) => cells(row)), command: commandOf(range, lanes, by),
		}));
	}
}
