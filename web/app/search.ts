// SPDX-License-Identifier: MIT
//
// Search on the timeline: coroutines by id or name, states by the place where they were entered. All matches are
// requested once and sorted by time; Enter and Shift+Enter step through them.

import { askRows } from "./carrier";
import { h } from "./dom";
import { count, many } from "./say";
import { placeOf, type Trace } from "./trace";

/** The number of places that are searched, and of states for each place. */
const SITES_MAX = 16;
const STATES_MAX = 500;

export interface Match {
	lane: string;
	at: number;
	words: string;
}

async function askByName(text: string): Promise<Match[]> {
	const where = /^\d+$/.test(text) ? [`coroutine=${text}`] : [`name~*${text}*`];
	const rows = await askRows("select", { table: "coroutines", columns: "process,coroutine,name,created_ns,since_ns", where, order: "created_ns", limit: STATES_MAX });
	return Array.from({ length: rows.nrRows }, (_, row) => ({
		lane: `c${rows.number(0, row)}.${rows.number(1, row)}`, at: rows.number(3, row) || rows.number(4, row) || 0,
		words: `coroutine ${rows.number(1, row)} ${rows.word(2, row)}`.trim() }));
}

async function askByPlace(site: number): Promise<Match[]> {
	const rows = await askRows("select", { table: "states", columns: "process,coroutine,from_ns", where: [`site=${site}`, "state=waiting"], order: "from_ns", limit: STATES_MAX });
	return Array.from({ length: rows.nrRows }, (_, row) => ({
		lane: `c${rows.number(0, row)}.${rows.number(1, row)}`, at: rows.number(2, row), words: `coroutine ${rows.number(1, row)} waits at ${placeOf(site)}` }));
}

/** Returns the matches in order of time. */
async function askMatches(text: string, trace: Trace): Promise<Match[]> {
	const words = text.toLowerCase(), sites = /^\d+$/.test(text) ? []
		: [...trace.places].filter(([, place]) => place.toLowerCase().includes(words)).map(([site]) => site).slice(0, SITES_MAX);
	const found = await Promise.all([askByName(text), ...sites.map(askByPlace)]);
	return found.flat().sort((one, other) => one.at - other.at);
}

export class Search {
	private readonly input: HTMLInputElement;
	private readonly told = h("span", { class: "quiet", role: "status", id: "found" });
	readonly element: HTMLElement;
	private matches: Match[] = [];
	private asked = "";
	private steps: Promise<void> = Promise.resolve();
	private at = -1;

	/** `show` is called with the match to go to; `leave` when the reader ends the search. */
	constructor(private readonly trace: Trace, private readonly show: (match: Match) => void, leave: () => void, private readonly now: () => number) {
		this.input = h("input", {
			id: "text", type: "search", placeholder: "coroutine, place", size: 18, "aria-label": "Search coroutines and places",
			keydown: (event: KeyboardEvent) => {
				if (event.key === "Escape")
					leave();
				if (event.key !== "Enter")
					return;
				event.preventDefault();
				/* One step after the other, even if keys are pressed fast. */
				this.steps = this.steps.then(() => this.step(event.shiftKey ? -1 : 1))
					.catch((failure: Error) => { this.told.textContent = failure.message; });
			},
		});
		this.element = h("span", { class: "search" }, this.input, " ", this.told);
	}

	private async step(by: number): Promise<void> {
		const text = this.input.value.trim();
		if (!text)
			return;
		if (text !== this.asked) {
			this.told.textContent = "searching ...";
			this.matches = await askMatches(text, this.trace);
			this.asked = text;
			const next = this.matches.findIndex((match) => match.at >= this.now());
			this.at = by > 0 ? (next < 0 ? -1 : next - 1) : next < 0 ? this.matches.length : next;
		}
		const { length } = this.matches;
		this.at = length ? (this.at + by + length) % length : -1;
		const match = this.matches[this.at];
		this.told.textContent = match ? `${count(this.at + 1)} of ${count(length)}${length >= STATES_MAX ? " or more" : ""}: ${match.words}`
			: `${many(0, "coroutine")} and no place fit '${text}'`;
		if (match)
			this.show(match);
	}
}
