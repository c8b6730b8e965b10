// SPDX-License-Identifier: MIT
//
// The first page if there is no finding: what ran, where the time went, how busy the workers were, and what took
// longest nevertheless. The numbers are those of the report.

import { addressOf } from "./address";
import { askRows } from "./carrier";
import { fill, h, sharpen, type Child } from "./dom";
import { drawStack, drawTimes, loadMinimap, TIMES } from "./minimap";
import { count, duration, many, percent } from "./say";
import { palette } from "./states";
import { coroutineLink, placeLink, threadName, type Trace } from "./trace";

const LONGEST = 5;
const WORKERS = 16;

/** A part of a whole: its words, its colour, its amount. */
type Part = readonly [string, string, number];

/** One bar of parts, and each of the parts in words. */
function share(label: string, parts: readonly Part[], withWords: boolean): HTMLElement {
	const all = parts.reduce((sum, [, , ns]) => sum + ns, 0), present = parts.filter(([, , ns]) => ns > 0);
	const bar = h("div", { class: "share", role: "img", "aria-label": `${label}: ${present.map(([words, , ns]) => `${words} ${percent(ns, all)}`).join(", ")}` },
		present.map(([, colour, ns]) => {
			const part = h("i", { class: `part ${colour}` });
			part.style.flexGrow = String(ns / all);
			return part;
		}));
	return h("div", null, bar, withWords ? h("p", { class: "quiet shares" }, present.map(([words, colour, ns]) =>
		h("span", null, h("i", { class: `key ${colour}`, "aria-hidden": "true" }), `${words} ${duration(ns)}, ${percent(ns, all)}`))) : null);
}

function tiles({ report }: Trace): HTMLElement {
	const { statistics: { delays, resumes, workers }, quality } = report;
	const all: [string, string][] = [[count(quality.coroutines), quality.coroutines === 1 ? "coroutine" : "coroutines"], [count(resumes), resumes === 1 ? "resume" : "resumes"],
		[count(workers.length), workers.length === 1 ? "worker" : "workers"]];
	if (delays.count)
		all.push([duration(delays.p50_ns), "median delay"], [duration(delays.p99_ns), "99th percentile of the delay"], [duration(delays.max_ns), "longest delay"]);
	return h("ul", { class: "tiles" }, all.map(([number, words]) => h("li", null, h("strong", null, number), h("span", null, words))));
}

function times({ report: { statistics } }: Trace): Child {
	const parts: Part[] = [["running", "running", statistics.running_ns], ["in system calls", "syscall", statistics.syscall_ns], ["ready", "ready", statistics.ready_ns],
		["waiting", "waiting", statistics.waiting_ns], ["not begun", "unseen", statistics.unseen_ns]];
	return parts.some(([, , ns]) => ns > 0) ? h("section", null, h("h3", null, "Where the coroutines' time went"), share("Times of coroutines", parts, true)) : null;
}

function use({ report: { statistics: { workers } } }: Trace): Child {
	if (!workers.length)
		return null;
	const sum = (of: (worker: (typeof workers)[number]) => number): number => workers.reduce((all, one) => all + of(one), 0);
	const parts = (of: (worker: (typeof workers)[number]) => Part[]): Part[] => of({ thread: 0, running_ns: sum((one) => one.running_ns), scheduling_ns: sum((one) => one.scheduling_ns),
		blocked_ns: sum((one) => one.blocked_ns), idle_ns: sum((one) => one.idle_ns), starved_ns: 0, resumes: 0 });
	const partsOf = (one: (typeof workers)[number]): Part[] => [["ran coroutines", "running", one.running_ns], ["scheduled", "ready", one.scheduling_ns],
		["blocked in calls", "syscall", one.blocked_ns], ["idle", "waiting", one.idle_ns]];
	return h("section", null, h("h3", null, "Workers"), share("Workers together", parts(partsOf), true),
		workers.length > 1 ? h("dl", { class: "uses" }, workers.slice(0, WORKERS).map((one) => [h("dt", null, threadName(one.thread)), h("dd", null, share(threadName(one.thread), partsOf(one), false))])) : null,
		workers.length > WORKERS ? h("p", null, h("a", { href: addressOf("overview") }, `${many(workers.length - WORKERS, "more worker")}`)) : null);
}

function longest(title: string, rows: Awaited<ReturnType<typeof askRows>>): Child {
	const lines = Array.from({ length: rows.nrRows }, (_, row) => [rows.number(2, row), rows.number(0, row), rows.number(1, row), rows.number(3, row) || null] as const)
		.filter(([ns]) => ns > 0);
	return lines.length ? h("section", null, h("h3", null, title), h("ol", { class: "plain longest" }, lines.map(([ns, id, process, site]) => h("li", null,
		h("span", { class: "when" }, duration(ns)), h("span", null, coroutineLink(process, id), site ? [", ", placeLink(site)] : null))))) : null;
}

async function showLongest(into: HTMLElement): Promise<void> {
	const [waits, delays] = await Promise.all([
		askRows("select", { table: "coroutines", columns: "coroutine,process,longest_wait_ns,longest_wait_site", order: "-longest_wait_ns", limit: LONGEST }),
		askRows("select", { table: "coroutines", columns: "coroutine,process,longest_delay_ns,wait_site", order: "-longest_delay_ns", limit: LONGEST })]);
	fill(into, longest("The longest waits", waits), longest("The longest delays from ready to running", delays));
}

async function drawStates(canvas: HTMLCanvasElement, most: HTMLElement, trace: Trace): Promise<void> {
	const map = await loadMinimap(trace), width = canvas.clientWidth, height = canvas.clientHeight, step = (trace.until - trace.from) / map.rows.nrRows;
	if (!canvas.isConnected)
		return;
	most.textContent = `, ${count(Math.round(map.most / step))} at most at a time`;
	const pen = sharpen(canvas, width, height);
	drawStack(pen, map, palette(), 0, width, height - TIMES);
	drawTimes(pen, map.range, palette(), width, height - TIMES);
}

export function healthy(trace: Trace): HTMLElement {
	const longest = h("div", { class: "beside" }), most = h("span", { id: "most-at-a-time" }), states = h("canvas", { class: "life timed", role: "img", "aria-label": "Coroutines by state over time" });
	const whole = h("div", { class: "healthy" }, tiles(trace), h("div", { class: "beside" }, h("div", null, times(trace), h("section", null, h("h3", null, "Coroutines by state over time", most),
		h("a", { href: addressOf("timeline"), "aria-label": "Timeline" }, states))), use(trace)), longest);
	void showLongest(longest).catch(() => undefined);
	/* The canvas has a width only after it is on the page. */
	requestAnimationFrame(() => void drawStates(states, most, trace).catch(() => undefined));
	return whole;
}
