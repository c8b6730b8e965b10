// SPDX-License-Identifier: MIT
//
// The screen of one coroutine: its life as a strip, why it does not run, its tree, its objects, its times compared with
// its peers, its states and its events.

import { addressOf, viewInUse } from "./address";
import { askJson, askRows, traceFileInCommands } from "./carrier";
import { copyButton, fill, h, sharpen, withoutFolders, type Child } from "./dom";
import { eventsTable } from "./events";
import { COMPARED, showOwnObjects, showPeers, showTree } from "./related";
import { hotFunctions } from "./hot";
import { askSlices } from "./slices";
import { capital, count, duration, many, moment, sentence, spent, wallClock } from "./say";
import { drawState, palette, STATES, stateWord } from "./states";
import { Table } from "./table";
import { briefPlaceLink, coroutineLink, gradeMark, placeLink, placeOf, threadName, timeLink, type RunSamples, type Step, type Trace } from "./trace";

const COLUMNS = ["name", "state", "since_ns", "created_ns", "destroyed_ns", "parent", "spawn_site", "function_site", "wait_site", "wait_object",
	"thread", "nr_resumes", "nr_wakes", "nr_migrations", "unseen_ns", "ready_ns", "running_ns", "waiting_ns", "longest_wait_ns", "longest_wait_site",
	"longest_delay_ns", "longest_run_ns"] as const;

type Name = (typeof COLUMNS)[number];

interface Awaited {
	id: number; process: number; state: string; depth: number; resource: string; waiters: number; site: number | null;
}

interface LongRun {
	text: string; samples: RunSamples;
}

/** The functions of runs that lasted for long, where samples show them. */
function longRuns(runs: readonly LongRun[]): Child[] {
	return runs.filter(({ samples }) => samples.count).map(({ text, samples }) => h("details", { class: "long-run", open: "" },
		h("summary", null, sentence(text)), hotFunctions(samples)));
}

function step(one: Step, process: number): HTMLElement {
	return h("li", null, h("span", { class: "when" }, one.time_ns === null ? "" : moment(one.time_ns)),
		h("span", null, one.by ? [h("b", null, one.coroutine ? coroutineLink(process, one.coroutine, one.by) : one.by), ": "] : null, timeLink(one.time_ns, one.text, process, one.coroutine),
			one.site ? [h("br", null), placeLink(one.site)] : null,
			one.thread && (one.coroutine || !one.by) ? h("span", { class: "quiet" }, ` on ${threadName(one.thread)}`) : null));
}

async function showWhy(into: HTMLElement, trace: Trace, process: number, id: number): Promise<void> {
	const { why, awaits, long_runs, findings } = await askJson<{ why: Step[]; awaits: Awaited[]; long_runs: LongRun[]; findings: string[] }>("why", { process, coroutine: id });
	const about = trace.report.findings.filter(({ address }) => findings.includes(address));
	fill(into, h("ol", { class: "steps" }, why.map((one) => step(one, process))), longRuns(long_runs),
		about.map(({ address, title, grade }) => h("p", { class: "about" }, gradeMark(grade), " ", h("a", { href: addressOf("findings", { finding: address }) }, withoutFolders(capital(title))))),
		awaits.length > 1 ? [h("h3", null, "Who waits for whom"), h("ul", { class: "tree" }, awaits.map((one) => {
			const line = h("li", null, coroutineLink(one.process, one.id), ` ${stateWord(one.state)}`, one.resource ? `, for ${one.resource}` : "");
			line.style.marginInlineStart = `${Math.abs(one.depth) * 1.2}rem`;
			return line;
		}))] : null);
}

async function drawLife(canvas: HTMLCanvasElement, key: string, trace: Trace): Promise<void> {
	const width = canvas.clientWidth, height = canvas.clientHeight, length = trace.until - trace.from;
	const slices = await askSlices([key], trace.from, trace.until, length / Math.max(1, width)), colours = palette();
	const context = sharpen(canvas, width, height);
	for (const slice of slices.get(key) ?? [])
		drawState(context, colours, slice.state, (slice.from - trace.from) / length * width, 4, (slice.until - slice.from) / length * width, height - 8,
			slice.resource);
}

/** Shows how the coroutine relates to others. If one part fails, the other parts are shown nevertheless. */
function showRelated(process: number, id: number, trace: Trace, number: (name: Name) => number): HTMLElement[] {
	const [tree, objects, peers] = [h("div", null), h("div", null), h("div", null)], subject = { process, id };
	const refuse = (into: HTMLElement) => (failure: Error): void => fill(into, h("p", { role: "alert" }, failure.message));
	void showTree(tree, subject).catch(refuse(tree));
	void showOwnObjects(objects, subject, trace.until).catch(refuse(objects));
	const column = number("function_site") ? "function_site" : "spawn_site", site = number(column);
	if (site)
		void showPeers(peers, subject, { column, site }, Object.fromEntries(COMPARED.map((name) => [name, number(name)]))).catch(refuse(peers));
	return [tree, objects, peers];
}

function statesTable(process: number, id: number): Table {
	return new Table({
		table: "states", label: "States", noun: "state", order: "from_ns", hidden: ["process"], where: () => [`coroutine=${id}`, `process=${process}`],
		columns: [
			{ name: "from_ns", head: "from", isNumber: true, cell: (rows, column, row) => timeLink(rows.number(column, row), moment(rows.number(column, row)), process, id) },
			{ name: "state", head: "state", cell: (rows, column, row) => [h("i", { class: `bar ${STATES[rows.number(column, row)]}`, "aria-hidden": "true" }), stateWord(STATES[rows.number(column, row)] ?? "")] },
			{ name: "duration_ns", head: "for", isNumber: true, cell: (rows, column, row) => duration(rows.number(column, row)) },
			{ name: "site", head: "place", cell: (rows, column, row) => briefPlaceLink(rows.number(column, row)) },
			{ name: "object", head: "waits for", cell: (rows, column, row) => rows.word(column, row) },
			{ name: "thread", head: "thread", cell: (rows, column, row) => threadName(rows.number(column, row) || null) },
			{ name: "waker", head: "ended by", cell: (rows, column, row) => rows.number(column, row) ? coroutineLink(process, rows.number(column, row)) : "" },
			{ name: "waker_site", head: "at", cell: (rows, column, row) => briefPlaceLink(rows.number(column, row)) },
		],
	});
}

async function load(into: HTMLElement, trace: Trace, process: number, id: number, leaving: AbortSignal): Promise<void> {
	const rows = await askRows("select", { table: "coroutines", columns: COLUMNS.join(","), where: [`coroutine=${id}`, `process=${process}`], limit: 1 });
	/* An answer that comes late must not be drawn over the next screen. */
	if (leaving.aborted)
		return;
	if (!rows.nrRows) {
		fill(into, h("h2", null, `There is no coroutine ${id}`), h("p", null, h("a", { href: "#coroutines" }, "All coroutines")));
		return;
	}
	const number = (name: Name): number => rows.number(COLUMNS.indexOf(name), 0), word = (name: Name): string => rows.word(COLUMNS.indexOf(name), 0);
	const state = STATES[number("state")] ?? "", key = `c${process}.${id}`;
	const facts: [string, Child][] = [
		["state", `${stateWord(state)}, since ${moment(number("since_ns"))}, for ${duration(trace.until - number("since_ns"))}`],
		[state === "waiting" ? "waits for" : "waited last for", word("wait_object") || null], ["at", number("wait_site") ? placeLink(number("wait_site")) : null],
		["function", number("function_site") ? placeLink(number("function_site")) : null],
		["started", Number.isNaN(number("created_ns")) ? "before it was first seen"
			: h("span", { title: wallClock(number("created_ns"), trace.report.trace.epoch_realtime_ns) }, moment(number("created_ns")))],
		["started by", number("parent") ? coroutineLink(process, number("parent")) : null],
		["started at", number("spawn_site") ? placeLink(number("spawn_site")) : null],
		["thread", threadName(number("thread") || null)],
		["resumes", `${count(number("nr_resumes"))}; ${many(number("nr_wakes"), "wake")}, ${many(number("nr_migrations"), "migration")}`],
		...trace.report.sights.filter(({ coroutine }) => coroutine === id).map(({ text }): [string, Child] => ["seen in memory", text]),
		["it ran", spent(number("running_ns"))], ["it was ready", spent(number("ready_ns"))], ["it waited", spent(number("waiting_ns"))],
	];
	const life = h("canvas", { class: "life", role: "img", "aria-label": "Its life: states over time" });
	const why = h("div", null, h("p", { class: "quiet" }, "asking ...")), command = `corotracer why ${traceFileInCommands()} ${id}`, table = statesTable(process, id);
	const events = eventsTable("Events", () => [`coroutine=${id}`, `process=${process}`]);
	fill(into, h("h2", null, `Coroutine ${id} `, h("span", { class: "quiet" }, word("name") || placeOf(number("function_site") || null))),
		life, h("p", { class: "actions" }, h("a", { class: "button", href: addressOf("timeline", { lane: key, at: number("since_ns") }) }, "Show it on the timeline")),
		h("h3", null, state === "destroyed" || state === "done" ? "How it ended" : "Why it does not run"), why,
		h("h3", null, "What is known of it"),
		h("dl", null, facts.filter(([, value]) => value).map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
		showRelated(process, id, trace, number), h("h3", null, "Its states"), table.element, h("h3", null, "Its events"), events.element,
		h("p", { class: "quiet" }, "In a terminal: ", h("code", null, command), " ", copyButton("Copy", () => command)));
	void drawLife(life, key, trace).catch(() => undefined);
	void showWhy(why, trace, process, id).catch((failure: Error) => fill(why, h("p", null, failure.message)));
	table.refresh();
	events.refresh();
}

export function showCoroutine(into: HTMLElement, trace: Trace): (() => void) | void {
	const given = viewInUse().arguments, process = Number(given.get("process") ?? 1), id = Number(given.get("id") ?? NaN);
	if (!Number.isInteger(id) || !Number.isInteger(process)) {
		fill(into, h("h2", null, "Which coroutine?"), h("p", null, `The address names it by a number, such as #coroutine?process=1&id=7, and not by '${given.get("id") ?? ""}'. `,
			h("a", { href: "#coroutines" }, "All coroutines")));
		return;
	}
	const leaving = new AbortController();
	void load(into, trace, process, id, leaving.signal).catch((failure: Error) => {
		if (!leaving.signal.aborted)
			fill(into, h("p", { role: "alert" }, failure.message));
	});
	return () => leaving.abort();
}
