// SPDX-License-Identifier: MIT
//
// An input line in its place above a picture: for a time to go to, or for a range. If the input cannot be understood, a
// sentence beside the line says so, and the input stays.

import { fill, h } from "./dom";
import type { Range, Ranges } from "./range";
import { moment } from "./say";

/** Parses times as people write them: "1.5 s", "20 ms", "135us", "1.5"; NaN: not a time. */
function readTime(text: string): number {
	const found = /^\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(ns|us|µs|ms|s|min|h)?\s*$/.exec(text);
	const units: Record<string, number> = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12 };
	return found ? Number(found[1]) * units[found[2] ?? "s"]! : NaN;
}

/** Asks for one line. `take` returns what is wrong with the input, or null. Esc closes the line. */
function prompt(into: HTMLElement, words: string, given: string, take: (text: string) => string | null, done: () => void): void {
	const input = h("input", { id: "prompt", value: given, autocomplete: "off", spellcheck: "false", size: 26 });
	const wrong = h("span", { role: "alert", class: "wrong" });
	const end = (): void => {
		into.replaceChildren();
		done();
	};
	fill(into, h("form", {
		class: "prompt",
		submit: (event: Event) => {
			event.preventDefault();
			const sentence = take(input.value);
			wrong.textContent = sentence ?? "";
			if (sentence === null)
				end();
		},
		keydown: (event: KeyboardEvent) => {
			if (event.key === "Escape")
				end();
		},
	}, h("label", { for: "prompt" }, words), " ", input, " ", h("button", { class: "small" }, "Go"), " ", wrong));
	input.focus();
	input.select();
}

/** Asks for a time to go to; the time becomes the middle of the range. */
export function promptTime(into: HTMLElement, ranges: Ranges, move: (range: Range) => void, done: () => void): void {
	const { now, all } = ranges, half = (now.until - now.from) / 2;
	prompt(into, "Go to the time", `${now.from / 1e9} s`, (text) => {
		const at = readTime(text);
		if (Number.isNaN(at))
			return `'${text}' is no time: write 1.5 s, 20 ms or 135 us.`;
		if (at < all.from || at > all.until)
			return `The recording has ${moment(all.from)} to ${moment(all.until)}.`;
		move({ from: at - half, until: at + half });
		return null;
	}, done);
}

export function promptRange(into: HTMLElement, ranges: Ranges, move: (range: Range) => void, done: () => void): void {
	const { now } = ranges;
	prompt(into, "Show the range", `${now.from / 1e9} s to ${now.until / 1e9} s`, (text) => {
		const [from, until] = text.split(/\s+to\s+|\s*\.\.\s*/).map(readTime);
		if (from === undefined || until === undefined || Number.isNaN(from) || Number.isNaN(until))
			return `'${text}' is no range: write 1.5 s to 1.6 s.`;
		if (until <= from)
			return "The range ends before it begins.";
		move({ from, until });
		return null;
	}, done);
}
