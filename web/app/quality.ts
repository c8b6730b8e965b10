// SPDX-License-Identifier: MIT
//
// How reliable the recording is: what is missing, how well its clocks agree, what could not be judged.

import { fill, h, type Child } from "./dom";
import { shape } from "./plot";
import { ticksOf } from "./range";
import { DOUBTS } from "./names";
import { count, duration, many, moment, sentence, wallClock } from "./say";
import { threadName, type Report, type Trace } from "./trace";

type Loss = Report["quality"]["losses"][number];

const WIDTH = 900;
const LEFT = 150;
const LANE = 22;
/** Threads beyond this number share the last lane. */
const LANES = 24;

function facts(all: readonly [string, Child][]): HTMLElement {
	return h("dl", null, all.filter(([, value]) => value !== null && value !== "").map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

function laneOf(loss: Loss): string {
	return threadName(loss.thread) || "no thread";
}

function axis(trace: Trace, height: number, x: (ns: number) => number): SVGElement[] {
	return [shape("line", { x1: LEFT, x2: WIDTH, y1: height - 20, y2: height - 20 }), ...ticksOf(trace, 6).map(({ at, words }) =>
		shape("text", { x: Math.min(x(at), WIDTH - 24), y: height - 5, "text-anchor": "middle" }, words))];
}

/** Shows when events are missing: a lane for each thread. */
function lossPicture(trace: Trace): Child {
	const timed = trace.report.quality.losses.filter((loss) => loss.first_ns !== null && loss.last_ns !== null);
	const all = [...new Set(timed.map(laneOf))], names = all.length > LANES ? [...all.slice(0, LANES - 1), "other threads"] : all;
	const height = names.length * LANE + 24, length = trace.until - trace.from;
	const x = (ns: number): number => LEFT + Math.min(Math.max((ns - trace.from) / length, 0), 1) * (WIDTH - LEFT);
	const drawn = shape("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "plot", id: "losses-picture", role: "img", "aria-label": `Losses over time: ${many(timed.length, "range")}` });
	drawn.append(...axis(trace, height, x), ...names.map((name, lane) => shape("text", { x: LEFT - 8, y: lane * LANE + 15, "text-anchor": "end" }, name)));
	for (const loss of timed) {
		const lane = names.indexOf(laneOf(loss)), left = Math.min(x(loss.first_ns!), WIDTH - 3), words = `${many(loss.count, "event")}, ${loss.reason}`;
		const bar = shape("rect", { x: left, y: (lane < 0 ? names.length - 1 : lane) * LANE + 4, width: Math.max(3, x(loss.last_ns!) - left), height: LANE - 8 });
		bar.style.fill = "var(--alarm)";
		bar.append(shape("title", {}, `${words}: ${moment(loss.first_ns!)} to ${moment(loss.last_ns!)}`));
		drawn.append(bar);
	}
	return timed.length ? h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Losses over time" }, drawn) : null;
}

function whoLost(loss: Loss): string {
	return loss.coroutine ? `coroutine ${loss.coroutine}` : threadName(loss.thread) || "not known";
}

function losses(trace: Trace): Child {
	const { losses: all } = trace.report.quality;
	return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Losses" }, h("table", null, h("thead", null, h("tr", null, ["events", "why", "thread", "from", "until"].map((name) => h("th", { scope: "col" }, name)))),
		h("tbody", null, all.map((loss) => h("tr", null, h("td", { class: "number" }, count(loss.count)), h("td", null, loss.reason),
			h("td", null, whoLost(loss)), h("td", { class: "number" }, loss.first_ns === null ? "not known" : moment(loss.first_ns)),
			h("td", { class: "number" }, loss.last_ns === null ? "not known" : moment(loss.last_ns)))))));
}

function endOf({ how_it_ended: how, ended_ns: at }: Trace["report"]["processes"][number]): string {
	return at === null ? how : `${how}, at ${moment(at)}`;
}

/** How many rules could judge; what the others lack is a list. */
function judging(words: string): Child {
	const [first, ...lacks] = words.split("; ");
	return first ? [h("p", { id: "judging" }, sentence(first)), lacks.length ? h("ul", { id: "lacks" }, lacks.map((one) => h("li", null, sentence(one)))) : null] : null;
}

/** What a reader must keep in mind with all findings, and if there is none: the report's words. */
export function doubtsOf({ report: { quality } }: Trace): string[] {
	const numbers = quality as unknown as Record<string, number>;
	return [...DOUBTS.map(({ name, one, several }) => [numbers[name] ?? 0, one, several] as const).filter(([number]) => number)
		.map(([number, one, several]) => sentence(many(number, one, several))), ...quality.notes.map((one) => sentence(`${one.text}${one.count > 1 ? ` (${count(one.count)} times)` : ""}`))];
}

export function showQuality(into: HTMLElement, trace: Trace): void {
	const { quality, trace: told, processes } = trace.report;
	const besides: readonly (readonly [number, string, string])[] = [
		[quality.left_out, "event was left out, because it was not wanted", "events were left out, because they were not wanted"],
		[quality.frames_reused, "address served more than one coroutine", "addresses served more than one coroutine"],
		[quality.allowed, "finding at an allowed place is not shown", "findings at allowed places are not shown"],
	];
	const doubts = [...doubtsOf(trace), ...besides.filter(([number]) => number).map(([number, one, several]) => sentence(many(number, one, several)))];
	const sights = trace.report.sights.filter((one) => one.coroutine === null);
	fill(into, h("h2", null, "Quality of the recording"),
		h("p", { class: "lead" }, quality.lost ? `${count(quality.lost)} of ${many(quality.lost + quality.events, "event")} ${quality.lost === 1 ? "is" : "are"} missing.` : "Nothing is missing.",
			quality.has_lower_grades ? " Findings that depend on this have a lower grade." : ""),
		judging(trace.report.judging),
		quality.losses.length ? [h("h3", null, "Losses"), lossPicture(trace), losses(trace)] : null,
		h("h3", null, "Doubts"), doubts.length ? h("ul", null, doubts.map((one) => h("li", null, one))) : h("p", null, "None."),
		trace.report.remarks.length ? [h("h3", null, "Remarks"), h("ul", null, trace.report.remarks.map((one) => h("li", null, sentence(one))))] : null,
		sights.length ? [h("h3", null, "Seen beside the findings"), h("ul", null, sights.map((one) => h("li", null, sentence(one.text))))] : null,
		h("h3", null, "The recording"), facts([
			["observed", `from ${moment(quality.observed_from_ns)} to ${moment(quality.observed_until_ns)}, ${duration(trace.until - trace.from)}`],
			["began", wallClock(0, told.epoch_realtime_ns)], ["machine", told.host], ["run", /[^0]/.test(told.run_id) ? h("code", null, told.run_id) : null],
			["clock", quality.clock],
			["complete", told.is_complete ? "yes: recorded to the end" : "no: the trace was cut short"], ["written because", told.reason],
		]),
		h("h3", null, "Processes"), processes.map((process) => facts([["program", h("code", null, process.command_line || process.program)], ["process id", String(process.pid)],
			["end", endOf(process)], ["probe", process.has_probe ? "attached" : "none: no coroutine can be seen"],
			["descriptor ledger", process.has_ledger ? "attached" : "none: what is done to descriptors is not seen"]])));
}
