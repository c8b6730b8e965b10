// SPDX-License-Identifier: MIT
//
// One line that a hand types into, in its place above a picture: a time to go to, a range. What cannot be understood is said
// beside it, and what was typed stays.

import { fill, h } from "./dom";

/** Times as people write them: "1.5 s", "20 ms", "135us", "1.5"; NaN: it is none. */
export function readTime(text: string): number {
	const found = /^\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(ns|us|µs|ms|s|min|h)?\s*$/.exec(text);
	const units: Record<string, number> = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12 };
	return found ? Number(found[1]) * units[found[2] ?? "s"]! : NaN;
}

/** Asks for one line; `take` says what is wrong with it, or null. Esc ends it. */
export function prompt(into: HTMLElement, words: string, given: string, take: (text: string) => string | null, done: () => void): void {
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
