// SPDX-License-Identifier: MIT
//
// The trace as a whole: the report of the newest judgement, and the names of places and threads.

import { askJsonOf, askRowsOf } from "./carrier";
import { h } from "./dom";
import { addressOf } from "./address";
import { FIRST_REQUESTS } from "./names";
import { duration, isolated, many, visible } from "./say";
import type { Standing } from "./standing";

export interface Step {
	time_ns: number | null;
	text: string;
	/** The coroutine or thread that did the step; "": not known, or the text names it. */
	by: string;
	thread: number | null;
	coroutine: number | null;
	site: number | null;
	event: number | null;
}

export interface Member {
	id: number;
	process: number;
	state: string;
	since_ns: number | null;
	until_ns: number | null;
	/** The finding was over for this member at `until_ns`, and the coroutine went on. */
	is_over: boolean;
	created_ns: number | null;
	destroyed_ns: number | null;
	/** Null: the coroutine was never woken; undefined: not known. */
	last_wake?: { time_ns: number | null } | null;
	name: string;
	task: string;
	waits_for: string;
	wait_site: number | null;
	spawn_site: number | null;
	function_site: number | null;
}

/** A lane of the picture of a finding. */
export interface PictureLane {
	kind: string;
	name: string;
	is_member: boolean;
	process: number | null;
	coroutine: number | null;
	thread: number | null;
	/** The handle, in hexadecimal digits. */
	object: string;
}

/** A line of integration that would let a wait be judged. */
export interface Advice {
	process: number | null;
	site: number | null;
	text: string;
}

/** Where a thread was during a run, by samples; the hottest function first. */
export interface RunSamples {
	count: number;
	functions: { function: string; file: string; line: number; site: number | null; samples: number }[];
}

export interface Finding {
	rule: string;
	grade: "proven" | "likely" | "suspect";
	/** The finding's address, which stays the same in the next judgement and on another machine. */
	address: string;
	title: string;
	says: string;
	process: number | null;
	coroutines: number;
	wait_site: number | null;
	cause_site: number | null;
	look_first: number | null;
	/** The places where the members wait, the most frequent first. */
	waits_at: { site: number | null; coroutines: number }[];
	lost_nearby: number;
	lowered_since: string[];
	evidence: string[];
	could_be_wrong_if: string;
	next_step: string;
	steps: Step[];
	members: Member[];
	first_event: number | null;
	last_event: number | null;
	samples: RunSamples;
	picture: { lanes: PictureLane[]; has_wakes: boolean } | null;
}

export interface Distribution {
	count: number;
	total_ns: number;
	p50_ns: number;
	p99_ns: number;
	max_ns: number;
}

export interface Report {
	trace: {
		run_id: string; host: string; epoch_realtime_ns: string; is_complete: boolean; reason: string;
		has_no_end: boolean; reach_ns: number; events_before: number;
	};
	/** The numbers of doubts (doubts.def) are here as well. */
	quality: {
		observed_from_ns: number; observed_until_ns: number; clock: string; events: number; lost: number; left_out: number;
		coroutines: number; coroutines_by_state: Record<string, number>; yielding: number; frames_reused: number; has_lower_grades: boolean; allowed: number;
		losses: {
			process: number | null; thread: number | null; coroutine: number | null; reason: string; count: number;
			first_ns: number | null; last_ns: number | null;
		}[];
		notes: { text: string; count: number }[];
	};
	headline: string;
	doubt: string;
	/** What to check first if no coroutine was seen. */
	why_unseen: string;
	/** How many rules could judge, and what the others lack; "": the trace has no history. */
	judging: string;
	standings: Standing[];
	remarks: string[];
	/** What a look into memory saw besides. */
	sights: { text: string; coroutine: number | null }[];
	waiting: { site: number | null; coroutines: number; longest_coroutine: number; process: number | null; since_ns: number | null }[];
	advice: Advice[];
	findings: Finding[];
	spans: {
		kind: string; name: string; begun: number; ended: number; open: number; durations: Distribution;
	}[];
	statistics: {
		unseen_ns: number; ready_ns: number; running_ns: number; waiting_ns: number; syscall_ns: number; resumes: number; migrations: number;
		delays: Distribution;
		workers: {
			thread: number; running_ns: number; scheduling_ns: number; blocked_ns: number; idle_ns: number; starved_ns: number; resumes: number;
		}[];
	};
	runtimes: { ranges: { kind: string; name: string }[] }[];
	processes: { index: number; pid: number; program: string; command_line: string; how_it_ended: string; ended_ns: number | null; has_probe: boolean; has_ledger: boolean }[];
	threads: { index: number; process: number; tid: number; name: string }[];
}

/** The newest judgement, as the page has it. */
export interface Trace {
	report: Report;
	/** The words of a place, by its number. */
	places: Map<number, string>;
	from: number;
	until: number;
}

let trace: Trace | null = null;

export function traceInUse(): Trace | null {
	return trace;
}

/**
 * Instances of a C++ template share their lines, so findings may have the same address: the second and later ones get a
 * number.
 */
function tellApart(findings: Finding[]): void {
	const seen = new Map<string, number>();
	for (const finding of findings) {
		const times = (seen.get(finding.address) ?? 0) + 1;
		seen.set(finding.address, times);
		if (times > 1)
			finding.address += `@${times}`;
	}
}

/** Requests the report and the names again. */
export async function loadTrace(): Promise<Trace> {
	const [report, sites] = await Promise.all([askJsonOf<Report>(FIRST_REQUESTS.report), askRowsOf(FIRST_REQUESTS.sites)]);
	tellApart(report.findings);
	const places = new Map<number, string>();
	for (let row = 0; row < sites.nrRows; row++)
		places.set(sites.number(0, row), sites.word(1, row));
	const from = report.quality.observed_from_ns ?? 0;
	trace = { report, places, from, until: Math.max(from + 1, report.quality.observed_until_ns ?? 0) };
	return trace;
}

/** Returns the program, and how long it was observed: "server (pid 100) and 1 more, 2.00 s". */
export function observation({ report: { processes }, from, until }: Trace): string {
	const [first] = processes, name = first?.program.replace(/^.*\/(?=.)/, "") || "a program not known";
	const program = first ? `${visible(name)}${first.pid ? ` (pid ${first.pid})` : ""}${processes.length > 1 ? ` and ${processes.length - 1} more` : ""}, ` : "";
	return `${program}${duration(until - from)}`;
}

export function placeOf(site: number | null): string {
	return site && trace ? trace.places.get(site) ?? "" : "";
}

export function threadName(thread: number | null): string {
	const found = thread ? trace?.report.threads[thread - 1] : undefined;
	return found ? `${isolated(found.name || "thread")} (${found.tid})` : "";
}

/** Returns a place without the folders of its file, for the row of a table. */
export function brief(place: string): string {
	return place.replace(/, \S*\/([^/\s]+:\d+)$/, ", $1");
}

const GRADES = { proven: "■■■", likely: "■■□", suspect: "■□□" } as const;

export function gradeMark(grade: Finding["grade"]): HTMLElement {
	return h("span", { class: `grade ${grade}` }, h("span", { "aria-hidden": "true" }, GRADES[grade]), ` ${grade}`);
}

// ---------------------------------------------------------------- links

export function coroutineLink(process: number | null, id: number, words = `coroutine ${id}`): HTMLAnchorElement {
	return h("a", { href: addressOf("coroutine", { process: process ?? 1, id }) }, words);
}

export function placeLink(site: number | null, words = placeOf(site)): HTMLElement {
	return site ? h("a", { class: "place", href: addressOf("places", { site }) }, words) : h("span", { class: "quiet" }, "place not known");
}

/** The link to a place without the folders of its file, for the row of a table. */
export function briefPlaceLink(site: number): HTMLElement | string {
	return site ? h("a", { title: placeOf(site), href: addressOf("places", { site }) }, brief(placeOf(site))) : "";
}

export function timeLink(ns: number | null, words: string, process: number | null, coroutine: number | null): HTMLElement {
	if (ns === null)
		return h("span", null, words);
	const lane = coroutine ? `c${process ?? 1}.${coroutine}` : undefined;
	return h("a", { href: addressOf("timeline", { at: ns, lane }) }, words);
}

export function loadLine(told: Trace): string {
	const { report } = told;
	return [many(report.quality.events, "event"), many(report.quality.coroutines, "coroutine"),
		many(report.statistics.workers.length, "worker"), duration(told.until - told.from)].join(" · ");
}
