// SPDX-License-Identifier: MIT
//
// What the report says of a finding besides its title and its steps, in the report's own words: where members wait,
// where they were started and by whom, and their last events.

import { askJson } from "./carrier";
import { fill, h, type Child } from "./dom";
import { coroutineLink, placeLink, type Finding, type Trace } from "./trace";

interface Told {
	facts: [string, string][];
	events: { of: string; rows: string[][] }[];
}

/** The columns of the last events that are numbers: the event, and its time. */
const NUMBERS = 2;

/** Makes links of the coroutine and of the place with which the words end. */
function linked(words: string, finding: Finding, places: ReadonlyMap<string, number>): Child {
	const started = /^coroutine (\d+)$/.exec(words), counted = /^[\d,]+ at /.exec(words)?.[0] ?? "";
	if (started)
		return coroutineLink(finding.process, Number(started[1]), words);
	const site = places.get(words.slice(counted.length));
	return site ? [counted, placeLink(site)] : words;
}

function lastEvents({ of, rows }: Told["events"][number], isOpen: boolean): Child {
	const cells = (row: readonly string[], tag: "td" | "th"): HTMLElement => h("tr", null, row.map((cell, column) =>
		/* What an event is about has no heading. */
		h(cell ? tag : "td", { class: column < NUMBERS ? "number" : undefined, scope: cell && tag === "th" ? "col" : undefined }, cell)));
	const [head, ...body] = rows;
	return h("details", { class: "last-events", open: isOpen }, h("summary", null, `Last events of ${of}`),
		h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `Last events of ${of}` },
			h("table", null, h("thead", null, cells(head ?? [], "th")), h("tbody", null, body.map((row) => cells(row, "td"))))));
}

/**
 * Returns the facts, and the last events, which need more room; both follow as soon as they are answered. `number`: of the
 * finding, from 1.
 */
export function factsOf(trace: Trace, finding: Finding, number: number): readonly [HTMLElement, HTMLElement] {
	const into = h("section", { id: "facts" }), last = h("section", { id: "last-events" }), places = new Map([...trace.places].map(([site, words]) => [words, site]));
	void askJson<Told>("facts", { finding: number }).then(({ facts, events }) => {
		fill(into, h("dl", null, facts.map(([name, words]) => [h("dt", null, name), h("dd", null, linked(words, finding, places))])));
		fill(last, events.map((one, index) => lastEvents(one, index === 0)));
	}).catch((failure: Error) => fill(into, h("p", { class: "quiet" }, failure.message)));
	return [into, last];
}
