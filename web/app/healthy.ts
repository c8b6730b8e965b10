// SPDX-License-Identifier: MIT
//
// The first page if there is no finding: where the time went and for what was waited, how busy the workers were, what
// ran, and what took longest nevertheless, as small charts side by side. The numbers are those of the report.

import { addressOf } from "./address";
import { askRows } from "./carrier";
import { fill, h, sharpen, type Child } from "./dom";
import { drawStack, drawTimes, loadMinimap, TIMES } from "./minimap";
import { RESOURCES } from "./names";
import { count, duration, many, percent } from "./say";
import { CAUSES, causeOfResource } from "./shades";
import { palette } from "./states";
import { briefPlaceLink, coroutineLink, threadName, type Trace } from "./trace";

const LONGEST = 5;
/** The objects that were waited for longest: all that matter for a sum. */
const OBJECTS = 1000;
const WORKERS = 16;

/** A part of a whole: its words, its colour, its amount. */
type Part = readonly [string, string, number];

/** One bar of parts, and these in words, of which some may stand for several parts. */
function share(label: string, parts: readonly Part[], inWords: readonly Part[]): HTMLElement {
	const all = parts.reduce((sum, [, , ns]) => sum + ns, 0), present = parts.filter(([, , ns]) => ns > 0), told = inWords.filter(([, , ns]) => ns > 0);
	const bar = h("div", { class: "share", role: "img", "aria-label": `${label}: ${present.map(([words, , ns]) => `${words} ${percent(ns, all)}`).join(", ")}` },
		present.map(([, colour, ns]) => {
			const part = h("i", { class: `part ${colour}` });
			part.style.flexGrow = String(ns / all);
			return part;
		}));
	return h("div", null, bar, told.length ? h("p", { class: "quiet shares" }, told.map(([words, colour, ns]) =>
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

/** What the coroutines did, and for what they waited: the waits for the objects that are known, by cause, and the rest. */
function times({ report: { statistics } }: Trace, byCause: readonly number[]): Child {
	const known = byCause.reduce((sum, ns) => sum + ns, 0), rest = Math.max(0, statistics.waiting_ns - known);
	const waits = CAUSES.map(({ name }, cause): Part => [name, name, byCause[cause]! + (name === "other" ? rest : 0)]).filter(([, , ns]) => ns > 0);
	const before: Part[] = [["running", "running", statistics.running_ns], ["in system calls", "syscall", statistics.syscall_ns], ["ready", "ready", statistics.ready_ns]];
	const behind: Part[] = [["not begun", "unseen", statistics.unseen_ns]];
	if (![...before, ...waits, ...behind].some(([, , ns]) => ns > 0))
		return null;
	return h("section", { id: "times" }, h("h3", null, "Where the coroutines' time went"),
		share("Times of coroutines", [...before, ...waits, ...behind], [...before, ["waiting", "waiting", statistics.waiting_ns], ...behind]),
		known ? h("p", { class: "quiet shares", id: "waited-for" }, "waiting for: ", waits.map(([words, colour, ns]) =>
			h("span", null, h("i", { class: `key ${colour}`, "aria-hidden": "true" }), `${words} ${duration(ns)}`))) : null);
}

/** For how long coroutines waited for objects, by cause. */
async function waitsByCause(): Promise<number[]> {
	const rows = await askRows("select", { table: "objects", columns: "object,waited_ns", order: "-waited_ns", limit: OBJECTS });
	const sums = CAUSES.map(() => 0);
	for (let row = 0; row < rows.nrRows; row++) {
		const cause = causeOfResource(RESOURCES.indexOf(rows.word(0, row).split(" ")[0]!));
		sums[cause] = sums[cause]! + (rows.number(1, row) || 0);
	}
	return sums;
}

/** A line of a small chart: its length, the number that the length shows, and what it is of. */
type Line = readonly [number, string, Child];

/** A small chart: each line has its number, and below its words a bar; all bars have one scale. */
function lines(id: string, title: string, colour: string, all: readonly Line[]): Child {
	const most = Math.max(...all.map(([value]) => value));
	return all.length ? h("section", { id }, h("h3", null, title), h("ol", { class: "plain meters" }, all.map(([value, number, what]) => {
		const bar = h("i", { class: `meter ${colour}`, "aria-hidden": "true" });
		bar.style.width = `${Math.max(0.5, 100 * value / most)}%`;
		return h("li", null, h("span", { class: "when" }, number), h("span", null, what, bar));
	}))) : null;
}

/** The delay from ready to running: its percentiles. */
function delays({ report: { statistics: { delays: of } } }: Trace): Child {
	const all: Line[] = [[of.p50_ns, duration(of.p50_ns), "half of all within this"], [of.p99_ns, duration(of.p99_ns), "99 of 100"], [of.max_ns, duration(of.max_ns), "the longest"]];
	return of.count ? lines("delays", `From ready to running, ${many(of.count, "time")}`, "ready", all) : null;
}

async function askPlaces(order: string, column: string): Promise<Line[]> {
	const rows = await askRows("select", { table: "places", columns: `site,${column},nr_runs,nr_waits`, order: `-${order}`, limit: LONGEST });
	return Array.from({ length: rows.nrRows }, (_, row): Line => [rows.number(1, row) || 0, duration(rows.number(1, row) || 0),
		[briefPlaceLink(rows.number(0, row)), h("span", { class: "quiet" }, ` ${column === "ran_ns" ? many(rows.number(2, row) || 0, "run") : many(rows.number(3, row) || 0, "wait")}`)]])
		.filter(([ns]) => ns > 0);
}

function use({ report: { statistics: { workers } } }: Trace): Child {
	if (!workers.length)
		return null;
	const sum = (of: (worker: (typeof workers)[number]) => number): number => workers.reduce((all, one) => all + of(one), 0);
	const parts = (of: (worker: (typeof workers)[number]) => Part[]): Part[] => of({ thread: 0, running_ns: sum((one) => one.running_ns), scheduling_ns: sum((one) => one.scheduling_ns),
		blocked_ns: sum((one) => one.blocked_ns), idle_ns: sum((one) => one.idle_ns), starved_ns: 0, resumes: 0 });
	const partsOf = (one: (typeof workers)[number]): Part[] => [["ran coroutines", "running", one.running_ns], ["scheduled", "ready", one.scheduling_ns],
		["blocked in calls", "syscall", one.blocked_ns], ["idle", "idle", one.idle_ns]];
	return h("section", null, h("h3", null, "Workers"), share("Workers together", parts(partsOf), parts(partsOf)),
		workers.length > 1 ? h("dl", { class: "uses" }, workers.slice(0, WORKERS).map((one) => [h("dt", null, threadName(one.thread)), h("dd", null, share(threadName(one.thread), partsOf(one), []))])) : null,
		workers.length > WORKERS ? h("p", null, h("a", { href: addressOf("overview") }, `${many(workers.length - WORKERS, "more worker")}`)) : null);
}

async function askLongest(of: "wait" | "delay", site: string): Promise<Line[]> {
	const rows = await askRows("select", { table: "coroutines", columns: `coroutine,process,longest_${of}_ns,${site}`, order: `-longest_${of}_ns`, limit: LONGEST });
	return Array.from({ length: rows.nrRows }, (_, row): Line => [rows.number(2, row) || 0, duration(rows.number(2, row) || 0),
		[coroutineLink(rows.number(1, row), rows.number(0, row)), rows.number(3, row) ? [", ", briefPlaceLink(rows.number(3, row))] : null]])
		.filter(([ns]) => ns > 0);
}

async function showCharts(trace: Trace, into: HTMLElement, first: HTMLElement): Promise<void> {
	const [byCause, ran, waited, waits, late] = await Promise.all([waitsByCause(), askPlaces("ran_ns", "ran_ns"), askPlaces("ended_wait_ns", "ended_wait_ns"),
		askLongest("wait", "longest_wait_site"), askLongest("delay", "wait_site")]);
	fill(first, times(trace, byCause));
	fill(into, delays(trace), lines("ran", "What ran longest in all", "running", ran), lines("waited", "Where coroutines waited longest in all, ended waits", "waiting", waited),
		lines("longest-waits", "The longest waits", "waiting", waits), lines("longest-delays", "The longest delays from ready to running", "ready", late));
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
	const charts = h("div", { class: "charts" }), most = h("span", { id: "most-at-a-time" }), states = h("canvas", { class: "life timed", role: "img", "aria-label": "Coroutines by state over time" });
	const first = h("div", null, times(trace, CAUSES.map(() => 0)));
	const whole = h("div", { class: "healthy" }, tiles(trace), h("div", { class: "charts first" }, h("div", null, first, h("section", null, h("h3", null, "Coroutines by state over time", most),
		h("a", { href: addressOf("timeline"), "aria-label": "Timeline" }, states))), use(trace)), charts);
	void showCharts(trace, charts, first).catch(() => undefined);
	/* The canvas has a width only after it is on the page. */
	requestAnimationFrame(() => void drawStates(states, most, trace).catch(() => undefined));
	return whole;
}
