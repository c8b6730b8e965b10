// SPDX-License-Identifier: MIT
//
// The panels below the timeline: the selected state in words, with the actions for its lane, and what happened in the
// range that is shown, on all lanes or on the selected lane. The data of the range is requested while its panel is
// open.

import { addressOf, note, viewInUse } from "./address";
import { hasBesides, hasLosses, hasRegions } from "./besides";
import { askRows, traceFileInCommands } from "./carrier";
import { copyButton, fill, h, withoutFolders, type Child } from "./dom";
import { eventsTable } from "./events";
import { TIMELINE, type Action } from "./keys";
import { conditionsOf, tellOf, type Lane, type Lanes, type Row } from "./lanes";
import { KINDS } from "./names";
import { OVERVIEW } from "./minimap";
import type { Range } from "./range";
import { count, duration, many, moment } from "./say";
import { CAUSES, causeOfResource } from "./shades";
import type { Slice } from "./slices";
import { STATES, stateWord } from "./states";
import { queryOf, type Table } from "./table";
import { coroutineLink, placeLink, placeOf, threadName, type Finding, type Trace } from "./trace";

/** The legend: the bars of the picture, each with its word. */
export function legend(trace: Trace): HTMLElement {
	const sample = (name: string, words: string): Child => h("span", { "data-sample": name }, h("i", { class: `bar ${name}`, "aria-hidden": "true" }), words);
	return h("span", { class: "legend" }, sample("running", "running"), sample("ready", "ready"), h("span", null, "waiting for:"),
		CAUSES.map(({ name, letter }) => sample(name, letter ? `${name} ${letter}` : name)), sample("syscall", "in a call"), sample("unseen", "not begun"), sample("ended", "ended"), sample("held", "held H"), sample("held contended", "held, waited for"),
		hasBesides(trace) ? [sample("pause", "all stopped"), sample("beside", "collection")] : null, hasRegions(trace) ? sample("region", "region") : null,
		hasLosses(trace) ? sample("lost", "events lost") : null);
}

function sampleOf(slice: Slice): string {
	const state = STATES[slice.state] ?? "";
	if (slice.lane.startsWith("o") && slice.coroutine)
		return slice.nrWaiting ? "held contended" : "held";
	return state === "waiting" ? CAUSES[causeOfResource(slice.resource)]!.name : state === "done" || state === "destroyed" ? "ended" : state;
}

/** Marks the samples of what has been shown; a narrow page has room for these only. */
export function markShown(legend: HTMLElement, slices: ReadonlyMap<string, readonly Slice[]>): void {
	const shown = new Set([...slices.values()].flatMap((all) => all.map(sampleOf)));
	for (const one of legend.querySelectorAll<HTMLElement>("[data-sample]"))
		if (shown.has(one.dataset["sample"]!))
			one.classList.add("shown");
}

/** The selected state, as the engine describes it. */
export interface Told {
	waker: number;
	thread: number;
	site: number;
	object: string;
	isOpen: boolean;
	holder: number;
}

export async function askState(lane: Lane, slice: Slice): Promise<Told | null> {
	const rows = await askRows("select", {
		table: "states", columns: "waker,waker_thread,waker_site,object,is_open,holder", limit: 1,
		where: [`coroutine=${lane.coroutine}`, `process=${lane.process}`, `from_ns=${Math.round(slice.from)}`],
	});
	return rows.nrRows ? {
		waker: rows.number(0, 0) || 0, thread: rows.number(1, 0) || 0, site: rows.number(2, 0) || 0, object: rows.word(3, 0),
		isOpen: rows.number(4, 0) === 1, holder: rows.number(5, 0) || 0,
	} : null;
}

export function sayState(slice: Slice): string {
	const state = slice.call ? `in ${slice.call}, with its thread` : stateWord(STATES[slice.state] ?? "");
	return slice.nrStates > 1 ? `${many(slice.nrStates, "state")}, mostly ${state}` : state;
}

/** Says the holder of an object, and the number of waiters. */
export function sayObject({ coroutine, nrStates, nrWaiting }: Slice): string {
	const held = coroutine ? `held by coroutine ${coroutine}` : "", waited = nrWaiting ? `${nrStates > 1 ? "at most " : ""}${many(nrWaiting, "waiter")}` : "";
	return [nrStates > 1 ? many(nrStates, "change") : "", held && nrStates > 1 ? `mostly ${held}` : held, waited].filter((words) => words).join(", ");
}

/** Says what is under the pointer. */
export function sayUnder(lane: Lane, slice: Slice): string {
	if (lane.object)
		return `${lane.name}: ${sayObject(slice)}, ${duration(slice.until - slice.from)}${slice.site ? `, taken at ${placeOf(slice.site)}` : ""}`;
	const cause = STATES[slice.state] === "waiting" && slice.resource ? ` for a ${CAUSES[causeOfResource(slice.resource)]!.name}` : "";
	return `${lane.name}: ${sayState(slice)}${cause}, ${duration(slice.until - slice.from)}${slice.site ? `, ${placeOf(slice.site)}` : ""}`;
}

export function tellSlice(lane: Lane, slice: Slice, process: number): HTMLElement {
	const who = lane.coroutine ? coroutineLink(lane.process, lane.coroutine) : h("span", null, lane.name);
	if (lane.object)
		return h("p", null, h("i", { class: `bar ${slice.coroutine ? "held" : CAUSES[causeOfResource(slice.resource)]!.name}`, "aria-hidden": "true" }), h("strong", null, sayObject(slice)), ` for ${duration(slice.until - slice.from)}, from ${moment(slice.from, 1)}: `,
			h("a", { href: addressOf("objects", { text: lane.name }) }, lane.name), slice.coroutine ? [", held by ", coroutineLink(process, slice.coroutine)] : null,
			slice.site ? [", taken at ", placeLink(slice.site)] : null);
	return h("p", null, h("i", { class: `bar ${STATES[slice.state]}`, "aria-hidden": "true" }),
		h("strong", null, sayState(slice)), ` for ${duration(slice.until - slice.from)}, from ${moment(slice.from, 1)}: `, who,
		slice.coroutine && !lane.coroutine ? [", running ", coroutineLink(process, slice.coroutine)] : null,
		slice.site ? [", ", placeLink(slice.site)] : null);
}

export function tellCause(process: number, told: Told): HTMLElement {
	return h("p", null, told.object ? `For ${told.object}. ` : "", told.holder ? ["Held by ", coroutineLink(process, told.holder), ". "] : "",
		told.isOpen ? "It goes on at the end of the recording." : told.waker || told.thread ? ["Ended",
			told.waker ? [" by ", coroutineLink(process, told.waker)] : "", told.thread ? ` on ${threadName(told.thread)}` : "",
			told.site ? [", ", placeLink(told.site)] : "", "."] : "");
}

/** The number of members that determine when a finding came about. */
const MEMBERS_LOOKED_AT = 500;

/** A story that is a smaller share of all the time until its members' end would be too small to see in that time. */
const STORY_LEAST = 0.05;

/**
 * Returns when a finding came about: from its first step to its last, and since when its members have been in their
 * state; until the end of that state, if the story remains large enough to be seen, or if the end is the story: of a
 * standstill, and of a state that was over before the end of the recording. Otherwise a step at that end says what did
 * not happen, and is no part of the story. The range is widened by `share` of its length on each side, by `least`
 * nanoseconds at least.
 */
export function rangeOf(finding: Finding | undefined, share: number, least: number): Range | undefined {
	const members = (finding?.members ?? []).slice(0, MEMBERS_LOOKED_AT), steps = (finding?.steps ?? []).flatMap((step) => step.time_ns ?? []);
	const over = Math.max(...members.flatMap((member) => member.until_ns ?? [])), happened = steps.filter((time) => time < over);
	const times = [...happened.length ? happened : steps, ...members.flatMap((member) => member.since_ns ?? [])];
	if (!times.length)
		return undefined;
	const from = Math.min(...times), last = Math.max(...times), end = Math.max(last, over);
	const isStory = finding?.rule === "standstill" || members.some((member) => member.is_over);
	const until = isStory || last - from >= (end - from) * STORY_LEAST ? end : last, margin = Math.max((until - from) * share, least);
	return { from: from - margin, until: until + margin };
}

/** Shows the finding whose steps are above the lanes, and the chosen step. */
export function tellFinding(trace: Trace, number: number, at: number): Child {
	const { findings } = trace.report, finding = findings[number], step = finding?.steps[at - 1];
	return finding ? h("p", null, h("a", { href: addressOf("findings", { finding: finding.address, step: at || undefined }) },
		`Finding ${number + 1} of ${findings.length}: ${withoutFolders(finding.title)}`),
	step ? [h("br", null), `Step ${at}: ${step.text}`, step.site ? [", ", placeLink(step.site)] : null] : null) : null;
}

/** The event that the reader went to. */
export interface Gone {
	event: number;
	time: number;
	kind: number;
	site: number;
}

export function tellEvent(gone: Gone | null): Child {
	return gone ? h("p", null, h("strong", null, KINDS[gone.kind] ?? "event"), `, event ${count(gone.event)}, at ${moment(gone.time, 1)}`,
		gone.site ? [", ", placeLink(gone.site)] : null) : null;
}

/** Shows the actions for the row that keys act on. */
export function tellRow(row: Row, lanes: Lanes, nrHidden: number, act: (action: Action) => void): Child {
	const button = (words: string, action: Action): HTMLElement => h("button", {
		class: "small", "data-key": `lane-${action}`, title: `key ${TIMELINE[action].told}`, click: () => act(action) }, words);
	const again = nrHidden ? button(`show ${nrHidden} hidden`, "showAll") : null, isPinned = row.lane !== null && lanes.isPinned(row.lane.key);
	if (row.isHead)
		return h("p", { class: "actions" }, `${tellOf(row)} `, button(row.group.isOpen ? "fold" : "open", "open"), " ", again);
	return row.lane ? h("p", { class: "actions" }, `Lane ${row.lane.name}: `, button(isPinned ? "unpin" : "pin", "pin"), " ",
		isPinned ? [button("up", "pinnedUp"), " ", button("down", "pinnedDown"), " "] : null, button("hide", "hide"), " ", again) : null;
}

// ---------------------------------------------------------------- the range

/** Asks for the sums over all coroutines: the time in each state, and the scheduler latency. */
export async function askSum(trace: Trace, range: Range): Promise<Child> {
	const from = Math.max(trace.from, Math.floor(range.from)), until = Math.min(trace.until, Math.ceil(range.until));
	const rows = await askRows("overview", { from, until: Math.max(until, from + 1), steps: 1 });
	const number = (name: keyof typeof OVERVIEW): number => rows.number(OVERVIEW[name], 0) || 0;
	const spent = (["running", "ready", "waiting"] as const).map((state) => `${state} ${duration(number(state))}`).join(", ");
	return [`All coroutines together: ${spent}; ${many(number("events"), "event")}, ${many(number("wakes"), "wake")}` +
		`; from ready to running half took at most ${duration(number("p50"))}, 99 of 100 ${duration(number("p99"))}, the longest ${duration(number("max"))}.`,
	number("lost") ? h("strong", null, ` ${many(number("lost"), "event")} lost.`) : null,
	number("uncounted") ? ` ${many(number("uncounted"), "delay")} are in none of these.` : null];
}

/** The events of the range that is shown, of all lanes or of one lane. */
export class RangePanel {
	readonly element: HTMLDetailsElement;
	private readonly told = h("p", { id: "in-range", role: "status" });
	private readonly title = h("span", null, "in this range");
	private readonly table: Table;
	private range: Range = { from: 0, until: 1 };
	private lane: Lane | null = null;
	private timer = 0;

	constructor(private readonly trace: Trace) {
		this.table = eventsTable("Events in this range", () => this.where());
		this.element = h("details", { class: "in-range", open: viewInUse().arguments.get("panel") === "range", toggle: () => {
			note({ panel: this.element.open ? "range" : undefined });
			this.refresh();
		} }, h("summary", null, "What happened ", this.title), this.told, this.table.element);
	}

	close(): void {
		clearTimeout(this.timer);
	}

	/** Sets the range and the lane. If one of them has changed, an open panel is requested again soon. */
	scope(range: Range, lane: Lane | null): void {
		if (range.from === this.range.from && range.until === this.range.until && lane?.key === this.lane?.key)
			return;
		this.range = range;
		this.lane = lane;
		this.title.textContent = `in this range${lane ? `, of ${lane.name}` : ""}`;
		clearTimeout(this.timer);
		this.timer = window.setTimeout(() => this.refresh(), 200);
	}

	private where(): string[] {
		const { lane } = this, who = lane ? conditionsOf(lane) : [];
		return [`time_ns>=${Math.floor(this.range.from)}`, `time_ns<=${Math.ceil(this.range.until)}`, ...who];
	}

	private refresh(): void {
		if (!this.element.open)
			return;
		this.table.refresh();
		void this.sum().catch((failure: Error) => { this.told.textContent = failure.message; });
	}

	private async sum(): Promise<void> {
		fill(this.told, await askSum(this.trace, this.range));
	}
}

// ---------------------------------------------------------------- copies

/** Buttons that copy the timeline as a picture, as a table, and as the command that prints it in a terminal. */
export function copies(svg: () => string, table: () => string, command: () => string): Child {
	return h("p", { class: "actions copies" }, copyButton("Copy as SVG", svg), " ", copyButton("Copy as TSV", table), " ", copyButton("Copy the command", command));
}

/** Returns the slices on the screen as a table. */
export function tableOf(lanes: readonly Lane[], slices: ReadonlyMap<string, readonly Slice[]>): string {
	const lines = [["lane", "name", "from_ns", "until_ns", "state", "coroutine", "site", "nr_states"]];
	for (const lane of lanes)
		for (const slice of slices.get(lane.key) ?? [])
			lines.push([lane.key, `${lane.name} ${lane.hint}`.trim(), String(slice.from), String(slice.until), STATES[slice.state] ?? "", String(slice.coroutine),
				String(slice.site), String(slice.nrStates)]);
	return lines.map((line) => line.map((cell) => cell.replace(/[\t\n]/g, " ")).join("\t")).join("\n");
}

/** Returns the command that prints the states of the range, of one lane if a lane is selected. */
export function commandOf(range: Range, lane: Lane | null): string {
	if (lane?.object)
		return queryOf(`SELECT coroutine, from_ns, until_ns, duration_ns, place FROM holds WHERE object = '${lane.name.replace(" ", ":")}' AND process = ${lane.process} ` +
			`AND until_ns >= ${Math.floor(range.from)} AND from_ns < ${Math.ceil(range.until)} ORDER BY from_ns`);
	const who = !lane ? "" : lane.coroutine ? ` AND process = ${lane.process} AND coroutine = ${lane.coroutine}` : ` AND state = 'running' AND thread = ${lane.thread}`;
	return `corotracer query ${traceFileInCommands()} "SELECT coroutine, state, from_ns, until_ns, duration_ns, site FROM states ` +
		`WHERE until_ns >= ${Math.floor(range.from)} AND from_ns < ${Math.ceil(range.until)}${who} ORDER BY from_ns"`;
}
