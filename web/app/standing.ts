// SPDX-License-Identifier: MIT
//
// The strip on every screen: how the observation as a whole stands. What it says are the engine's words: of the newest
// judgement, and of the recording while it goes on; of one kind, the recording's are newer. The page itself tells only
// that no word has come.

import { fill, h } from "./dom";
import { STANDINGS } from "./names";
import { duration, visible } from "./say";
import { traceInUse } from "./trace";

export interface Standing {
	what: string;
	is_doubt: boolean;
	text: string;
}

/** A recording is told of four times a second: a silence this long is one. */
const SILENCE_MS = 3000;

const strip = document.getElementById("state") as HTMLElement;
/** What the recording says, and when that came; what stands before and behind all. */
let live: readonly Standing[] = [];
let heardAt = 0;
let isRecording = false;
let before: readonly string[] = [];
let behind: readonly string[] = [];

/** Instead of how the engine was when it was last heard of. */
function silence(): Standing | null {
	const since = performance.now() - heardAt;
	return isRecording && since >= SILENCE_MS
		? { what: "engine", is_doubt: true, text: `no word from corotracer for ${duration(Math.floor(since / 1000) * 1e9)}` } : null;
}

function present(): Standing[] {
	const silent = silence(), of = new Map<string, Standing>();
	for (const one of [...traceInUse()?.report.standings ?? [], ...live, ...silent ? [silent] : []])
		of.set(one.what, one);
	/* How old the judgement was then, nobody knows now. */
	if (silent)
		of.delete("judged");
	return STANDINGS.flatMap((name) => of.get(name) ?? []);
}

function item({ what, is_doubt: isDoubt, text }: Standing): HTMLElement {
	return h("span", { class: isDoubt ? "doubt" : undefined, "data-what": what }, isDoubt ? h("span", { "aria-hidden": "true" }, "\u26a0 ") : null, text);
}

export function drawStandings(): void {
	const items = [...before.map((words) => h("span", null, words)), ...present().map(item), ...behind.map((words) => h("span", null, words))];
	fill(strip, items.map((one, index) => index ? [" \u00b7 ", one] : one));
}

/** What the recording says now; without one, what the server does. */
export function hearStandings(said: readonly Standing[], goesOn: boolean, path: string): void {
	live = said;
	isRecording = goesOn;
	before = [visible(path)];
	heardAt = performance.now();
	drawStandings();
}

/** Nothing more is to be heard: why. */
export function endStandings(why: Standing): void {
	live = [...live.filter(({ what }) => !["end", "engine", "judged"].includes(what)), why];
	isRecording = false;
	drawStandings();
}

/** Of a page that is a file. */
export function standBehind(words: readonly string[]): void {
	behind = words;
	drawStandings();
}

setInterval(() => {
	if (silence())
		drawStandings();
}, 1000);
