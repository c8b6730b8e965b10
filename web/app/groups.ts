// SPDX-License-Identifier: MIT
//
// Coroutines counted by place, with the number in each state there; and what occurs more often in a range of time than
// in the rest.

import { addressOf } from "./address";
import { askRows } from "./carrier";
import { fill, h, type Child } from "./dom";
import { count, duration, many, moment, percent } from "./say";
import { STATES, stateWord } from "./states";
import { brief, placeOf, threadName } from "./trace";

const MOST = 65536;
const SHOWN = 200;

function table(label: string, heads: readonly string[], rows: readonly (readonly Child[])[], isNumber: (column: number) => boolean): HTMLElement {
	return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label }, h("table", { class: "groups" },
		h("thead", null, h("tr", null, heads.map((head, column) => h("th", { scope: "col", class: isNumber(column) ? "number" : undefined }, head)))),
		h("tbody", null, rows.map((row) => h("tr", null, row.map((cell, column) => h("td", { class: isNumber(column) ? "number" : undefined }, cell)))))));
}

// ---------------------------------------------------------------- by place

/**
 * Shows by a column of places how many coroutines there are, and in which states; a link sets the filter for the
 * column.
 */
export async function showGroups(into: HTMLElement, column: string, where: readonly string[], filter: string): Promise<void> {
	const rows = await askRows("groups", { table: "coroutines", columns: `${column},state`, where, limit: MOST }), groups = new Map<number, number[]>();
	for (let row = 0; row < rows.nrRows; row++) {
		const site = rows.number(0, row) || 0, counts = groups.get(site) ?? STATES.map(() => 0);
		counts[rows.number(1, row)]! += rows.number(2, row);
		groups.set(site, counts);
	}
	const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
	const ranked = [...groups].sort((one, other) => sum(other[1]) - sum(one[1])), states = STATES.map((_, state) => state).filter((state) => ranked.some(([, counts]) => counts[state]));
	fill(into, h("p", { class: "quiet", role: "status" }, `${many(ranked.length, "group")}${ranked.length > SHOWN ? `, the ${SHOWN} largest` : ""}`),
		table("Coroutines by place", ["place", "coroutines", ...states.map((state) => stateWord(STATES[state]!))], ranked.slice(0, SHOWN).map(([site, counts]) => [
			site ? h("a", { href: addressOf("coroutines", { [filter]: site }), title: placeOf(site) }, brief(placeOf(site))) : h("span", { class: "quiet" }, "not known"),
			count(sum(counts)), ...states.map((state) => counts[state] ? count(counts[state]!) : "")]), (at) => at > 0));
}

// ---------------------------------------------------------------- a range and the rest

/** The properties by which a range and the rest are compared: a table of the view, and one of its columns. */
const COMPARED: readonly { title: string; table: string; column: string; say: (number: number) => Child }[] = [
	{ title: "Waits, by place", table: "waits", column: "site", say: (site) => h("a", { href: addressOf("places", { site }), title: placeOf(site) }, brief(placeOf(site))) },
	{ title: "Delays, by where they had waited", table: "delays", column: "site", say: (site) => h("a", { href: addressOf("places", { site }), title: placeOf(site) }, brief(placeOf(site))) },
	{ title: "Runs, by thread", table: "runs", column: "thread", say: (thread) => threadName(thread) },
];
const COMPARED_SHOWN = 10;

async function countBy(name: string, column: string, where: readonly string[]): Promise<Map<number, number>> {
	const rows = await askRows("groups", { table: name, columns: column, where, limit: MOST }), found = new Map<number, number>();
	for (let row = 0; row < rows.nrRows; row++)
		found.set(rows.number(0, row) || 0, rows.number(1, row));
	return found;
}

function total(counts: ReadonlyMap<number, number>): number {
	return [...counts.values()].reduce((all, one) => all + one, 0);
}

/** The greatest differences between the shares, the greatest first. */
function differences(inside: ReadonlyMap<number, number>, all: ReadonlyMap<number, number>, say: (number: number) => Child): Child {
	const nrInside = total(inside), nrRest = total(all) - nrInside;
	const rows = [...all].map(([key, number]) => {
		const here = inside.get(key) ?? 0, rest = number - here;
		return { key, here, rest, difference: (nrInside ? here / nrInside : 0) - (nrRest ? rest / nrRest : 0) };
	}).sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference)).slice(0, COMPARED_SHOWN);
	return table("Compared", ["", "in the range", "share", "in the rest", "share", "difference"], rows.map((row) => [
		row.key ? say(row.key) : h("span", { class: "quiet" }, "not known"), count(row.here), percent(row.here, nrInside), count(row.rest), percent(row.rest, nrRest),
		`${row.difference > 0 ? "+" : ""}${(100 * row.difference).toFixed(1)}`]), (at) => at > 0);
}

/** Compares the states that touch the range with all other states. */
export async function showComparison(into: HTMLElement, from: number, until: number): Promise<void> {
	const where = [`from_ns<${Math.ceil(until)}`, `until_ns>=${Math.floor(from)}`];
	const parts = await Promise.all(COMPARED.map(async (one) => {
		const [inside, all] = await Promise.all([countBy(one.table, one.column, where), countBy(one.table, one.column, [])]);
		return [h("h3", null, one.title), all.size ? differences(inside, all, one.say) : h("p", { class: "quiet" }, "None.")];
	}));
	fill(into, h("h3", { id: "compared" }, `What ${moment(from)} to ${moment(until)} (${duration(until - from)}) has more of than the rest`),
		h("p", { class: "quiet" }, "A state that touches the range counts as in the range. The difference is between the shares, in percentage points."), parts);
}
