// SPDX-License-Identifier: MIT
//
// Findings, the first screen: the ranked list, and the chosen finding with its picture, what happened, how certain the
// finding is, what to do now, and its members.

import { addressOf, viewInUse } from "./address";
import { askRows, carrierInUse, lineOf, traceFileInCommands } from "./carrier";
import { copyButton, fill, h, withoutFolders, type Child } from "./dom";
import { factsOf } from "./facts";
import { healthy } from "./healthy";
import { hotFunctions } from "./hot";
import { FIRST_REQUESTS } from "./names";
import { doubtsOf } from "./quality";
import { count, duration, many, moment, sentence } from "./say";
import { STATES, stateWord } from "./states";
import { brief, briefPlaceLink, coroutineLink, gradeMark, placeLink, placeOf, threadName, type Advice, type Finding, type Member, type Trace } from "./trace";

/** Returns how long the member has been in its state. Null: since when is not known. */
function lastedOf(member: Member): number | null {
	return member.since_ns === null || member.until_ns === null ? null : member.until_ns - member.since_ns;
}

function listed(finding: Finding, chosen: boolean): HTMLElement {
	const longest = Math.max(...finding.members.map((member) => lastedOf(member) ?? -Infinity));
	return h("li", null, h("a", {
		href: addressOf("findings", { finding: finding.address }), "data-key": finding.address,
		"aria-current": chosen ? "true" : undefined,
	}, gradeMark(finding.grade), h("span", { class: "title" }, withoutFolders(finding.title)),
	h("span", { class: "quiet" }, many(finding.coroutines, "coroutine"),
		Number.isFinite(longest) ? `, ${finding.coroutines > 1 ? "the longest for" : "for"} ${duration(longest)}` : "")));
}

// ---------------------------------------------------------------- the chosen finding

let pictureStyle: Promise<void> | null = null;

/** Loads the style of pictures. A policy that forbids inline style allows the style as a sheet of its own. */
function loadStyle(): Promise<void> {
	pictureStyle ??= carrierInUse().ask(FIRST_REQUESTS.style).then((bytes) => {
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(new TextDecoder().decode(bytes));
		document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
	});
	return pictureStyle;
}

/** The event of each step in the picture, by the step's number. */
function marksOf(picture: SVGSVGElement): Map<number, SVGGElement> {
	const marks = new Map<number, SVGGElement>();
	for (const circle of picture.querySelectorAll("g > circle.mark")) {
		const mark = circle.parentElement as unknown as SVGGElement, number = Number(circle.nextElementSibling?.textContent ?? NaN);
		if (number)
			marks.set(number, mark);
	}
	return marks;
}

/** Highlights a step in the words and in the picture; 0: none. */
export function light(number: number): void {
	for (const one of document.querySelectorAll(".lit"))
		one.classList.remove("lit");
	for (const one of document.querySelectorAll(`[data-step="${number}"]`))
		one.classList.add("lit");
}

/** An event under the pointer is highlighted in the words, and a click leads to its moment on the timeline. */
function tie(picture: SVGSVGElement, finding: Finding): void {
	for (const [number, mark] of marksOf(picture)) {
		const step = finding.steps[number - 1], address = step && timelineOf(finding, step, number);
		mark.setAttribute("data-step", String(number));
		mark.addEventListener("pointerenter", () => light(number));
		mark.addEventListener("pointerleave", () => light(chosenStep()));
		if (!address)
			continue;
		mark.classList.add("leads");
		mark.addEventListener("click", () => { location.hash = address; });
	}
	light(chosenStep());
}

/** Returns the step that the address names: the timeline's link back contains it. */
function chosenStep(): number {
	return Number(viewInUse().arguments.get("step") ?? 0) || 0;
}

/** Pointing at a step, or moving the focus to it, highlights its event in the picture. */
function stepList(finding: Finding): HTMLElement {
	const at = (event: Event): number => Number((event.target as HTMLElement).closest<HTMLElement>("li")?.dataset["step"] ?? 0);
	return h("ol", {
		class: "steps", pointerover: (event: Event) => light(at(event)), pointerleave: () => light(chosenStep()),
		focusin: (event: Event) => light(at(event)), focusout: () => light(chosenStep()),
	}, finding.steps.map((step, index) => stepLine(finding, step, index + 1)));
}

/** A picture that fits a narrow screen has the names of lanes above their bars. */
const narrow = matchMedia("(max-width: 960px)");

async function drawPicture(into: HTMLElement, finding: Finding, number: number): Promise<void> {
	try {
		const [bytes] = await Promise.all([carrierInUse().ask(lineOf("picture", { finding: number, narrow: narrow.matches ? 1 : undefined })), loadStyle()]);
		const text = new TextDecoder().decode(bytes);
		const parsed = new DOMParser().parseFromString(text, "text/html").querySelector("svg");
		if (!parsed)
			throw new Error("The picture cannot be read.");
		const drawn = document.importNode(parsed, true);
		tie(drawn, finding);
		drawn.querySelector(".alike")?.addEventListener("click", () => document.getElementById("members")?.scrollIntoView());
		const frame = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "The picture of the finding" }, drawn);
		const hint = h("p", { class: "quiet" }, "The picture is wider than the page: scroll it sideways.");
		fill(into, hint, frame, h("p", { class: "actions" }, copyButton("Copy as SVG", () => text)));
		hint.hidden = frame.scrollWidth <= frame.clientWidth;
	} catch (failure) {
		fill(into, h("p", { class: "quiet" }, (failure as Error).message));
	}
}

/** Returns the timeline's address for a step; null: the step has no time. */
function timelineOf(finding: Finding, step: Finding["steps"][number], number: number): string | null {
	const coroutine = step.coroutine ?? finding.members[0]?.id;
	return step.time_ns === null ? null : addressOf("timeline", {
		at: step.time_ns, lane: coroutine ? `c${finding.process ?? 1}.${coroutine}` : undefined, finding: finding.address, step: number });
}

function stepLine(finding: Finding, step: Finding["steps"][number], number: number): HTMLElement {
	const address = timelineOf(finding, step, number);
	return h("li", { value: number, "data-step": number },
		h("span", { class: "when" }, step.time_ns === null ? "" : moment(step.time_ns)),
		h("span", null,
			step.by ? [h("b", null, step.coroutine ? coroutineLink(finding.process, step.coroutine, step.by) : step.by), ": "] : null,
			address ? h("a", { href: address, "data-key": `step-${number}` }, step.text) : h("span", null, step.text),
			step.site ? [h("br", null), placeLink(step.site)] : null,
			step.thread && (step.coroutine || !step.by) ? h("span", { class: "quiet" }, ` on ${threadName(step.thread)}`) : null));
}

/** Makes elements of a sentence in which code stands between backquotes. */
function withCode(words: string): Child[] {
	return words.split("`").map((part, index) => index % 2 ? h("code", null, part) : part);
}

/** What the program would have to record so that more can be judged: the report's words. */
function integration(advice: readonly Advice[]): Child {
	return advice.length ? [h("h3", null, "To judge it"), h("ul", { class: "to-judge" }, advice.map(({ text }) => h("li", null, withCode(sentence(text)))))] : null;
}

/** What is doubtful about the recording as a whole, after words that lead there. */
function doubts(trace: Trace, before: string): Child {
	const all = doubtsOf(trace);
	return all.length ? [before ? h("p", null, before) : null, h("ul", { id: "doubts" }, all.map((one) => h("li", null, one)))] : null;
}

function how(finding: Finding): Child[] {
	const lowered = finding.lowered_since.map((reason) => h("li", null, sentence(reason)));
	return [
		h("h3", null, "How sure"),
		h("p", null, gradeMark(finding.grade), finding.lost_nearby ? `; ${many(finding.lost_nearby, "event")} lost nearby` : ""),
		finding.evidence.length || lowered.length
			? h("ul", null, finding.evidence.map((one) => h("li", null, withCode(sentence(one)))), lowered) : null,
		hotFunctions(finding.samples),
		finding.could_be_wrong_if ? h("p", null, `It would be wrong if ${finding.could_be_wrong_if}.`) : null,
	];
}

/** The number of members that are shown at first, and that are requested at once afterwards. */
const MEMBERS_SHOWN = 10;
const MEMBERS_ASKED = 200;

/** Says how long the member has been in the state that the finding is about, and until when if that is over. */
function sayLasted(member: Member): string {
	const lasted = lastedOf(member);
	return lasted === null ? "" : `${duration(lasted)}${member.is_over ? ` until ${moment(member.until_ns!)}` : ""}`;
}

function nameOf(member: Member): string {
	return member.name || brief(placeOf(member.function_site));
}

/** Where the member waited: if the finding was over before the end, not where it waited last. */
function placeOfWait(finding: Finding, member: Member): number | null {
	return member.is_over && finding.wait_site ? finding.wait_site : member.wait_site;
}

/** A column of the table of members. */
interface MemberColumn {
	head: string;
	kind?: "number" | "place";
	cell: (member: Member) => Child;
	/** What all members have in common here, which is said once, above the table; null: they differ. */
	common?: Child;
}

/** Returns what is the same for all members; null: something differs, or not all members are known. */
function commonOf(finding: Finding, of: (member: Member) => string): string | null {
	const { members } = finding, first = members[0] ? of(members[0]) : "";
	return first && members.length >= finding.coroutines && members.every((member) => of(member) === first) ? first : null;
}

function memberColumns(finding: Finding): MemberColumn[] {
	const name = commonOf(finding, nameOf), [first] = finding.members;
	const site = finding.coroutines > 1 ? finding.waits_at.length === 1 ? finding.wait_site : null : first ? placeOfWait(finding, first) : null;
	const columns: MemberColumn[] = [
		{ head: "coroutine", cell: (member) => coroutineLink(member.process, member.id, String(member.id)) },
		{ head: "name", kind: "place", cell: nameOf, common: name },
		{ head: "at the end", cell: (member) => stateWord(member.state) },
		{ head: "for", kind: "number", cell: sayLasted },
		{ head: "waits for", cell: (member) => member.waits_for },
		{ head: "where", kind: "place", cell: (member) => placeOfWait(finding, member) ? briefPlaceLink(placeOfWait(finding, member)!) : "", common: site ? ["at ", briefPlaceLink(site)] : null },
	];
	return columns.filter(({ head }) => head !== "name" || finding.members.some((member) => nameOf(member)));
}

function memberRow(member: Member, columns: readonly MemberColumn[]): HTMLElement {
	return h("tr", null, columns.map(({ cell, kind }) => h("td", { class: kind }, cell(member))));
}

/** Requests members that the report does not name. */
async function askMembers(finding: number, offset: number, until: number): Promise<Member[]> {
	const rows = await askRows("select", {
		table: "finding_coroutines", columns: "process,coroutine,state,since_ns,waits_for,wait_site,spawn_site,name,task",
		where: [`finding=${finding}`], offset, limit: MEMBERS_ASKED });
	return Array.from({ length: rows.nrRows }, (_, row): Member => ({
		process: rows.number(0, row), id: rows.number(1, row), state: STATES[rows.number(2, row)] ?? "", since_ns: rows.number(3, row), until_ns: until,
		is_over: false, created_ns: null, destroyed_ns: null, waits_for: rows.word(4, row), wait_site: rows.number(5, row) || null, spawn_site: rows.number(6, row) || null,
		name: rows.word(7, row), task: rows.word(8, row), function_site: null,
	}));
}

function members(finding: Finding, number: number): Child {
	const all = [...finding.members], total = Math.max(finding.coroutines, all.length), heads = ["coroutine", "name", "state", "for_ns", "waits for", "where"];
	const every = memberColumns(finding), columns = every.filter(({ common }) => !common), common = every.flatMap((column) => column.common ? [column.common] : []);
	const body = h("tbody", null, all.slice(0, MEMBERS_SHOWN).map((member) => memberRow(member, columns)));
	const until = Math.max(...all.map((member) => member.until_ns ?? -Infinity));
	const more = h("button", { class: "small", "data-key": "all-members", click: async () => {
		const shown = body.childElementCount;
		if (shown >= all.length)
			all.push(...await askMembers(number, all.length, until).catch(() => []));
		body.append(...all.slice(shown).map((member) => memberRow(member, columns)));
		tell();
	} });
	const tell = (): void => {
		const left = total - body.childElementCount, next = Math.min(left, Math.max(all.length - body.childElementCount, 0) || MEMBERS_ASKED);
		more.hidden = left <= 0;
		more.textContent = next < left ? `Show ${count(next)} of ${many(left, "more coroutine", "more coroutines")}` : `Show ${many(left, "more coroutine", "more coroutines")}`;
	};
	tell();
	return [
		h("h3", { id: "members" }, `Members: ${count(finding.coroutines)}`),
		common.length ? h("p", { id: "in-common" }, total > 1 ? "All: " : "", common.map((one, index) => [index ? ", " : "", one])) : null,
		h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Members" }, h("table", { class: "members" },
			h("thead", null, h("tr", null, columns.map(({ head, kind }) => h("th", { scope: "col", class: kind === "number" ? kind : undefined }, head)))), body)),
		h("p", { class: "actions" }, more, " ", copyButton("Copy as TSV", () => [heads, ...all.map((member) =>
			[member.id, member.name, member.state, lastedOf(member) ?? "", member.waits_for, placeOf(placeOfWait(finding, member))])]
			.map((row) => row.join("\t")).join("\n"))),
	];
}

/** The commands that print the same: all findings, and the events on which this finding is based. */
function terminal(finding: Finding): Child {
	const commands = [`corotracer report ${traceFileInCommands()}`, ...finding.first_event !== null && finding.last_event !== null
		? [`corotracer dump --events ${finding.first_event}-${finding.last_event} ${traceFileInCommands()}`] : []];
	return commands.map((command) => h("p", null, h("code", null, command), " ", copyButton("Copy", () => command)));
}

/** Where members wait, or waited, if the place to look at first is another one. */
function waitsAt(finding: Finding): Child {
	const { waits_at, wait_site, look_first } = finding;
	if (waits_at.length > 1)
		return h("p", { id: "waits-at" }, waits_at.map(({ site, coroutines }, index) =>
			[index ? "; " : "", h("strong", null, count(coroutines)), index ? " at " : coroutines === 1 ? " waits at " : " wait at ", placeLink(site)]));
	return wait_site && look_first && wait_site !== look_first ? h("p", { id: "waits-at" }, "Waiting at ", placeLink(wait_site)) : null;
}

function chosen(trace: Trace, number: number, advice: readonly Advice[], height: number): HTMLElement {
	const finding = trace.report.findings[number - 1]!, [facts, lastEvents] = factsOf(trace, finding, number);
	const picture = h("div", { class: "picture-frame" }, h("p", { class: "quiet" }, "drawing ..."));
	/* Keeps the content below at its place. */
	if (height)
		picture.style.minHeight = `${height}px`;
	if (finding.steps.some((step) => step.time_ns !== null))
		void drawPicture(picture, finding, number);
	else
		fill(picture, h("p", { class: "quiet" }, "The finding has no picture, because none of its steps has a time."));
	return h("article", { "aria-labelledby": "finding-title" },
		h("h2", { id: "finding-title", title: finding.title }, withoutFolders(finding.title)),
		h("p", { class: "lead" }, gradeMark(finding.grade), " ", finding.rule,
			finding.look_first ? [" · ", h("strong", null, "Look here first: "), placeLink(finding.look_first)] : null),
		waitsAt(finding),
		h("div", { class: "facing" }, h("div", { class: "story" }, picture, h("h3", null, "What happened"), stepList(finding)),
			h("div", { class: "advice" }, h("h3", null, "What to do now"), h("p", null, withCode(sentence(finding.next_step))), integration(advice), how(finding),
				doubts(trace, "About the whole recording:"), h("h3", null, "Where, and since when"), facts, members(finding, number),
				h("h3", null, "In a terminal"), terminal(finding)),
			lastEvents));
}

// ---------------------------------------------------------------- nothing found

/** The coroutines that wait at the end, and where most of them do; "": none waits. */
function stillWaiting(trace: Trace): Child {
	const { waiting } = trace.report, most = waiting[0], all = waiting.reduce((sum, one) => sum + one.coroutines, 0);
	return most ? h("p", { id: "still-waiting" }, `${many(all, "coroutine waits", "coroutines wait")} at the end, `,
		waiting.length > 1 ? `${count(most.coroutines)} of them at ` : "at ", placeLink(most.site), ".") : "";
}

function nothing(trace: Trace): HTMLElement {
	const remarks = trace.report.remarks.length ? h("ul", { id: "remarks" }, trace.report.remarks.map((one) => h("li", null, sentence(one)))) : null;
	if (!trace.report.quality.coroutines)
		return h("article", null, h("h2", null, sentence(trace.report.headline).slice(0, -1)), h("p", { id: "why-unseen" }, sentence(trace.report.why_unseen)), remarks,
			h("p", null, h("a", { href: addressOf("quality") }, "What could not be judged, and why")));
	return h("article", null, h("h2", null, sentence(trace.report.headline).slice(0, -1)),
		h("p", { id: "judging" }, `${many(trace.report.quality.coroutines, "coroutine was", "coroutines were")} judged over ${duration(trace.until - trace.from)}. `,
			trace.report.judging ? sentence(trace.report.judging) : null),
		doubts(trace, ""), stillWaiting(trace), remarks, integration(trace.report.advice), healthy(trace));
}

/**
 * Returns what a judgement says, without ages. The page is drawn again only if a newer judgement says something else,
 * because drawing again disturbs a reader.
 */
export function saidBy(trace: Trace): string {
	const { findings, headline, quality, remarks } = trace.report;
	return JSON.stringify(findings.length ? findings.map((finding) => [finding.address, finding.grade, finding.title, finding.coroutines,
		finding.steps.filter((step) => step.event !== null).map((step) => [step.text, placeOf(step.site)]),
		finding.members.map((member) => placeOf(member.function_site))]) : [headline, quality.coroutines, remarks]);
}

/** Goes to the next finding, or to the one before, and scrolls the list so that the finding is visible. */
function step(trace: Trace, by: number): void {
	const { findings } = trace.report, wanted = viewInUse().arguments.get("finding");
	const at = Math.max(0, findings.findIndex((finding) => finding.address === wanted)) + by;
	if (findings[at])
		location.hash = addressOf("findings", { finding: findings[at].address });
}

function keys(trace: Trace): () => void {
	const keydown = (event: KeyboardEvent): void => {
		const by = { j: 1, k: -1 }[event.key];
		if (by && !event.ctrlKey && !event.metaKey && !event.altKey && !(event.target as HTMLElement).matches("input, select, textarea"))
			step(trace, by);
	};
	window.addEventListener("keydown", keydown);
	return () => window.removeEventListener("keydown", keydown);
}

export function showFindings(into: HTMLElement, trace: Trace): () => void {
	const { findings } = trace.report, wanted = viewInUse().arguments.get("finding");
	const found = findings.findIndex((finding) => finding.address === wanted);
	const at = found < 0 ? 0 : found, scrolled = document.getElementById("ranked")?.scrollTop ?? 0, before = into.querySelector(".picture-frame")?.clientHeight ?? 0;
	if (!findings.length) {
		fill(into, nothing(trace));
		return () => undefined;
	}
	fill(into, h("div", { class: findings.length > 1 ? "two" : "two alone" },
		h("nav", { "aria-label": "Findings", class: "ranked" },
			h("h2", { class: "small-title" }, trace.report.headline),
			wanted && found < 0 ? h("p", { class: "quiet" }, "The finding of this address is not there any more.") : null,
			findings.length > 1 ? h("p", { class: "quiet" }, h("kbd", null, "J"), " and ", h("kbd", null, "K"), " go to the next and the one before.") : null,
			h("ol", { class: "plain", id: "ranked" }, findings.map((finding, index) => [
				findings[index - 1]?.rule === finding.rule ? null : h("li", { class: "rule" }, finding.rule), listed(finding, index === at)]))),
		chosen(trace, at + 1, trace.report.advice.filter((one) => one.process === findings[at]!.process), before)));
	const list = document.getElementById("ranked");
	if (list) {
		list.scrollTop = scrolled;
		list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
	}
	return keys(trace);
}
