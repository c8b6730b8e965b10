// SPDX-License-Identifier: MIT
//
// The strip on every screen: the state of the observation as a whole. The words are the engine's: from the newest
// judgement, and from the recording while it goes on. For statements about the same subject, the recording's are newer
// and are shown. The page itself adds only the statement that no message has come.

import { fill, h } from "./dom";
import { STANDINGS } from "./names";
import { duration, visible } from "./say";
import { observation, traceInUse } from "./trace";

export interface Standing {
	what: string;
	is_doubt: boolean;
	text: string;
}

/** The server reports on a recording four times a second: a gap this long counts as silence. */
const SILENCE_MS = 3000;

const strip = document.getElementById("state") as HTMLElement;
/** The recording's statements, and when they came; texts before and after all statements. */
let live: readonly Standing[] = [];
let heardAt = 0;
let isRecording = false;
let before: readonly string[] = [];
let behind: readonly string[] = [];

/** The statement that replaces the last known state of the engine during a silence. */
function silence(): Standing | null {
	const since = performance.now() - heardAt;
	return isRecording && since >= SILENCE_MS
		? { what: "engine", is_doubt: true, text: `no word from corotracer for ${duration(Math.floor(since / 1000) * 1e9)}` } : null;
}

function present(): Standing[] {
	const silent = silence(), of = new Map<string, Standing>();
	for (const one of [...traceInUse()?.report.standings ?? [], ...live, ...silent ? [silent] : []])
		of.set(one.what, one);
	/* The age of the last judgement is no longer known; or it grows for ever, because nothing new will come. */
	if (silent || !isRecording)
		of.delete("judged");
	return STANDINGS.flatMap((name) => of.get(name) ?? []);
}

function item({ what, is_doubt: isDoubt, text }: Standing): HTMLElement {
	return h("span", { class: isDoubt ? "doubt" : undefined, "data-what": what }, isDoubt ? h("span", { "aria-hidden": "true" }, "\u26a0 ") : null, text);
}

export function drawStandings(): void {
	const told = present(), trace = traceInUse(), named = trace ? [h("span", { "data-what": "program-name" }, observation(trace))] : [];
	const items = [...before.map((words) => h("span", null, words)), ...named, ...told.map(item), ...behind.map((words) => h("span", null, words))];
	fill(strip, items.map((one, index) => h("span", { class: index < before.length ? "path" : undefined }, one, index < items.length - 1 ? " \u00b7 " : null)));
	/* A narrow head cuts the strip after one line, unless there is a doubt. */
	strip.classList.toggle("doubtful", told.some((one) => one.is_doubt));
}

/** Takes the recording's present statements; if there is no recording, the server's. */
export function hearStandings(said: readonly Standing[], goesOn: boolean, path: string): void {
	live = said;
	isRecording = goesOn;
	before = [visible(path)];
	heardAt = performance.now();
	drawStandings();
}

/** No more messages will come; `why` says the reason. */
export function endStandings(why: Standing): void {
	live = [...live.filter(({ what }) => !["end", "engine", "judged"].includes(what)), why];
	isRecording = false;
	drawStandings();
}

/** Sets the texts after all statements, for a page that is a single file. */
export function standBehind(words: readonly string[]): void {
	behind = words;
	drawStandings();
}

setInterval(() => {
	if (silence())
		drawStandings();
}, 1000);
