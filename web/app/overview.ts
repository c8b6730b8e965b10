// SPDX-License-Identifier: MIT
//
// The recording over time: states, events and losses, delays; findings are flags on the same axis. A range that is
// dragged over any chart is chosen in all charts, and is passed on to other screens.

import { addressOf, go, viewInUse } from "./address";
import { askRows } from "./carrier";
import { copyButton, fill, h, sharpen, withoutFolders, type Child } from "./dom";
import { drawStack, loadMinimap, OVERVIEW, STACK, type Minimap } from "./minimap";
import { SvgPen, type Pen } from "./pen";
import { askSum } from "./panels";
import { chosenOf, roundSteps, sayRange, ticksOf, type Range } from "./range";
import { capital, count, duration, many, moment, percent, roundly, spent, unitOf } from "./say";
import { palette, stateWord } from "./states";
import { loadLine, threadName, type Finding, type Trace } from "./trace";

const LEFT = 74;
const BOTTOM = 20;
const HEAT_STEPS = 60;
/** A pointer that moves less than this many pixels chooses nothing. */
const CLICK_WIDTH = 3;
/** The rows of the heat map are powers of two of nanoseconds: 256 ns to 16 s. */
const HEAT_FIRST = 8;
const HEAT_ROWS = 27;

/** Draws the axis of time, and beside it the axis of numbers, with marks at these heights. */
function paintAxis(context: Pen, map: Minimap, width: number, height: number, marks: readonly { y: number; words: string }[]): void {
	const colours = palette();
	context.font = "12px system-ui, sans-serif";
	context.textBaseline = "middle";
	context.strokeStyle = colours.quiet;
	context.fillStyle = colours.quiet;
	context.textAlign = "right";
	context.globalAlpha = 0.3;
	context.beginPath();
	for (const { y } of marks) {
		context.moveTo(LEFT, Math.round(y) + 0.5);
		context.lineTo(width, Math.round(y) + 0.5);
	}
	context.stroke();
	context.globalAlpha = 1;
	for (const { y, words } of marks)
		context.fillText(words, LEFT - 6, Math.max(7, y));
	context.textAlign = "center";
	for (const { at, words } of ticksOf(map.range, (width - LEFT) / 120)) {
		const half = context.measureText(words).width / 2, x = LEFT + (at - map.range.from) / (map.range.until - map.range.from) * (width - LEFT);
		context.fillText(words, Math.min(x, width - half), height - 9);
	}
	context.textAlign = "left";
	context.textBaseline = "alphabetic";
}

/** The first answer about a long trace may take seconds. */
function paintReading(pen: Pen, height: number): void {
	pen.font = "12px system-ui, sans-serif";
	pen.fillStyle = palette().quiet;
	pen.fillText("reading ...", LEFT, height / 2);
}

/** Returns round numbers from 0 to the greatest, which lies `room` pixels above the axis of time. */
function marksOf(most: number, room: number, height: number, say: (value: number) => string): { y: number; words: string }[] {
	return roundSteps({ from: 0, until: most }, 4).at.filter(Number.isInteger).map((value) => ({ y: height - BOTTOM - value / most * room, words: say(value) }));
}

/** The most findings that have a flag. */
const FLAGS = 9;
const FLAG_ROOM = 19;

/** When a finding came about: at the step to look at first, or else at its first step. */
function flagOf({ steps, look_first: site, cause_site: cause }: Finding): number | undefined {
	const timed = steps.filter((step) => step.time_ns !== null);
	return (timed.find((step) => site && step.site === site) ?? timed.find((step) => cause && step.site === cause) ?? timed[0])?.time_ns ?? undefined;
}

/** The findings whose flags are in the chart, each with its number. */
function flagged(trace: Trace): Child {
	const found = trace.report.findings.map((finding, index) => ({ finding, index })).slice(0, FLAGS).filter(({ finding }) => flagOf(finding) !== undefined);
	return found.length ? h("ol", { class: "plain", id: "flags" }, found.map(({ finding, index }) => h("li", null, h("span", { class: "badge" }, String(index + 1)), " ",
		h("a", { href: addressOf("findings", { finding: finding.address }) }, withoutFolders(capital(finding.title))), `, ${moment(flagOf(finding)!)}`))) : null;
}

function paintFlags(context: Pen, map: Minimap, trace: Trace, width: number, height: number): void {
	const colours = palette(), flags: { middle: number; y: number }[] = [];
	trace.report.findings.slice(0, FLAGS).forEach((finding, index) => {
		const at = flagOf(finding);
		if (at === undefined)
			return;
		const x = LEFT + (at - map.range.from) / (map.range.until - map.range.from) * (width - LEFT);
		context.strokeStyle = context.fillStyle = colours.alarm;
		context.beginPath();
		context.moveTo(x, 0);
		context.lineTo(x, height - BOTTOM);
		context.stroke();
		/* To the left where there is no room to the right. */
		const middle = x + (x > width - 20 ? -9 : 9);
		/* Below those at the same moment. */
		const y = Math.max(10, ...flags.filter((one) => Math.abs(one.middle - middle) < FLAG_ROOM).map((one) => one.y + FLAG_ROOM));
		flags.push({ middle, y });
		context.fillStyle = colours.ground;
		context.beginPath();
		context.arc(middle, y, 10, 0, 7);
		context.fill();
		context.fillStyle = colours.alarm;
		context.beginPath();
		context.arc(middle, y, 8, 0, 7);
		context.fill();
		context.fillStyle = colours.ground;
		context.fillText(String(index + 1), middle - 3, y + 4);
	});
}

function paintBars(context: Pen, map: Minimap, columns: readonly [keyof typeof OVERVIEW, string][], width: number, height: number): number {
	const { rows } = map, step = (width - LEFT) / rows.nrRows, room = height - BOTTOM - 4;
	let most = 1;
	for (let row = 0; row < rows.nrRows; row++)
		for (const [name] of columns)
			most = Math.max(most, rows.number(OVERVIEW[name], row) || 0);
	for (const [name, fillStyle] of columns) {
		context.fillStyle = fillStyle;
		for (let row = 0; row < rows.nrRows; row++) {
			const tall = (rows.number(OVERVIEW[name], row) || 0) / most * room;
			context.fillRect(LEFT + row * step, height - BOTTOM - tall, Math.max(step, 1), tall);
		}
	}
	return most;
}

/** Counts delays by the time of their end and by their length; a stronger colour means more delays. */
async function loadHeat(trace: Trace): Promise<number[][]> {
	const length = (trace.until - trace.from) / HEAT_STEPS, heat: number[][] = [];
	for (let at = 0; at < HEAT_STEPS; at += 2)
		heat.push(...await Promise.all(Array.from({ length: 2 }, async (_, i) => {
			const from = Math.floor(trace.from + (at + i) * length), until = Math.floor(trace.from + (at + i + 1) * length), column = new Array<number>(HEAT_ROWS).fill(0);
			const rows = await askRows("histogram", { table: "delays", column: "duration_ns", parts: 1, where: [`until_ns>=${from}`, `until_ns<${until}`] });
			for (let row = 0; row < rows.nrRows; row++) {
				const power = Math.floor(Math.log2(Math.max(1, rows.number(0, row)))) - HEAT_FIRST;
				column[Math.min(Math.max(power, 0), HEAT_ROWS - 1)]! += rows.number(2, row);
			}
			return column;
		})));
	return heat;
}

function paintHeat(context: Pen, heat: number[][], width: number, height: number): void {
	const colours = palette(), step = (width - LEFT) / HEAT_STEPS, tall = (height - BOTTOM) / HEAT_ROWS;
	const most = Math.max(1, ...heat.flat());
	heat.forEach((column, at) => column.forEach((number, row) => {
		if (!number)
			return;
		context.globalAlpha = 0.25 + 0.75 * Math.log(number + 1) / Math.log(most + 1);
		context.fillStyle = colours.accent;
		context.fillRect(LEFT + at * step, height - BOTTOM - (row + 1) * tall, step, tall);
	}));
	context.globalAlpha = 1;
}

/** Returns the height of a delay in the heat map, in rows. */
function heatOf(ns: number): number {
	return Math.min(Math.max(Math.log2(ns) - HEAT_FIRST, 0), HEAT_ROWS);
}

function heatMarks(height: number): { y: number; words: string }[] {
	return [1e3, 1e5, 1e7, 1e9].map((ns) => {
		const [size, unit] = unitOf(ns);
		return { y: height - BOTTOM - heatOf(ns) * (height - BOTTOM) / HEAT_ROWS, words: `${ns / size} ${unit}` };
	});
}

/** Draws for each step the time that 99 of 100 delays did not exceed. */
function paintMost(pen: Pen, { rows }: Minimap, width: number, height: number): void {
	const step = (width - LEFT) / rows.nrRows, tall = (height - BOTTOM) / HEAT_ROWS;
	pen.fillStyle = palette().ink;
	for (let row = 0; row < rows.nrRows; row++) {
		const most = rows.number(OVERVIEW.p99, row);
		if (most > 0)
			pen.fillRect(LEFT + row * step, height - BOTTOM - heatOf(most) * tall - 1, Math.max(step, 2), 2);
	}
}

/** Says what the chart of delays leaves out. */
function sayUncounted({ rows }: Minimap): string {
	let number = 0;
	for (let row = 0; row < rows.nrRows; row++)
		number += rows.number(OVERVIEW.uncounted, row) || 0;
	return number ? ` ${many(number, "delay is", "delays are")} not in the line, for want of memory.` : "";
}

/** Drags over charts: reports the range while the pointer moves, and when the drag ends. */
class Brush {
	now: Range | null = null;
	private begin = NaN;

	/** `changed` is called while the pointer moves, `choose` when the drag ends. */
	constructor(private readonly trace: Trace, private readonly changed: () => void, private readonly choose: (range: Range) => void) {}

	add(canvas: HTMLCanvasElement): void {
		/* A finger that moves up or down still scrolls the page. */
		canvas.style.touchAction = "pan-y";
		canvas.addEventListener("pointerdown", (event) => {
			if (event.button)
				return;
			canvas.setPointerCapture(event.pointerId);
			this.begin = this.at(event, canvas);
		});
		canvas.addEventListener("pointermove", (event) => this.move(event, canvas));
		canvas.addEventListener("pointerup", () => this.end());
		canvas.addEventListener("pointercancel", () => this.stop());
	}

	/** Chooses nothing. Returns true if a drag was interrupted. */
	stop(): boolean {
		const isBroken = !Number.isNaN(this.begin);
		this.begin = NaN;
		this.now = null;
		this.changed();
		return isBroken;
	}

	private at(event: PointerEvent, canvas: HTMLCanvasElement): number {
		const share = (event.offsetX - LEFT) / (canvas.clientWidth - LEFT);
		return this.trace.from + Math.min(Math.max(share, 0), 1) * (this.trace.until - this.trace.from);
	}

	private move(event: PointerEvent, canvas: HTMLCanvasElement): void {
		if (Number.isNaN(this.begin))
			return;
		const at = this.at(event, canvas), least = CLICK_WIDTH / (canvas.clientWidth - LEFT) * (this.trace.until - this.trace.from);
		this.now = Math.abs(at - this.begin) < least ? null : { from: Math.floor(Math.min(at, this.begin)), until: Math.ceil(Math.max(at, this.begin)) };
		this.changed();
	}

	private end(): void {
		const range = this.now;
		this.stop();
		if (range)
			this.choose(range);
	}
}

/** Marks the chosen range; the rest becomes pale. */
function paintChosen(pen: Pen, all: Range, { from, until }: Range, width: number, height: number): void {
	const colours = palette(), scale = (width - LEFT) / (all.until - all.from), tall = height - BOTTOM;
	const left = LEFT + (from - all.from) * scale, right = LEFT + (until - all.from) * scale;
	pen.fillStyle = colours.ground;
	pen.globalAlpha = 0.6;
	pen.fillRect(LEFT, 0, left - LEFT, tall);
	pen.fillRect(right, 0, width - right, tall);
	pen.globalAlpha = 1;
	pen.strokeStyle = colours.accent;
	pen.lineWidth = 2;
	pen.strokeRect(left, 1, Math.max(2, right - left), tall - 2);
	pen.lineWidth = 1;
}

/** Shows the chosen range in numbers, with links to screens for this range. */
function tellChosen(trace: Trace, range: Range): HTMLElement {
	const sum = h("p", { id: "chosen-sum" }), { from, until } = range;
	void askSum(trace, range).then((told) => fill(sum, told)).catch((failure: Error) => fill(sum, failure.message));
	return h("div", { id: "chosen", role: "status" }, h("p", null, h("strong", null, `Chosen: ${sayRange(range)}`)), sum,
		h("p", { class: "actions" }, h("a", { href: addressOf("timeline", { from, until }) }, "timeline of this range"), " · ",
			h("a", { href: addressOf("places", { from, until }) }, "places, compared with the rest"), " · ",
			/*
			 * That screen filters by age only: how long before the end of the recording a coroutine was
			 * created.
			 */
			h("a", { href: addressOf("coroutines", { age: (trace.until - until) / 1e6 || undefined }) }, "coroutines that began before its end"), " · ",
			h("a", { href: addressOf("overview") }, "clear the range")));
}

/** The data of the charts. */
interface Charted {
	map: Minimap | null;
	delays: number[][] | null;
}

/** Requested once, because the screen is filled again for each chosen range. */
const CHARTED = new WeakMap<Trace, Charted>();

async function loadCharts(trace: Trace, charted: Charted, paint: () => void): Promise<void> {
	charted.map ??= await loadMinimap(trace, 300);
	paint();
	charted.delays ??= trace.report.statistics.delays.count ? await loadHeat(trace) : [];
	paint();
}

function workers(trace: Trace): HTMLElement {
	const rows = trace.report.statistics.workers.map((worker) => {
		const all = worker.running_ns + worker.scheduling_ns + worker.blocked_ns + worker.idle_ns;
		return h("tr", null, h("th", { scope: "row" }, threadName(worker.thread)),
			[worker.running_ns, worker.scheduling_ns, worker.blocked_ns, worker.idle_ns].map((ns) =>
				h("td", { class: "number" }, spent(ns), ns ? [h("br", null), h("span", { class: "quiet" }, percent(ns, all))] : null)),
			h("td", { class: "number", title: "of these times: it could run, and others had the processor" }, worker.starved_ns ? [duration(worker.starved_ns), h("br", null), h("span", { class: "quiet" }, percent(worker.starved_ns, all))] : spent(0)),
			h("td", { class: "number" }, count(worker.resumes)));
	});
	return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Workers" }, h("table", null, h("thead", null, h("tr", null,
		["worker", "ran coroutines", "scheduled", "blocked in calls", "idle", "had no processor", "resumes"].map((name, column) => h("th", { scope: "col", class: column ? "number" : undefined }, name)))), h("tbody", null, rows)));
}

export function showOverview(into: HTMLElement, trace: Trace): () => void {
	const { report } = trace;
	const chosen = chosenOf(trace, viewInUse().arguments), brush = new Brush(trace, () => paint(), ({ from, until }) => go("overview", { from, until }));
	const canvas = (label: string): HTMLCanvasElement => {
		const made = h("canvas", { class: "chart", role: "img", "aria-label": label });
		brush.add(made);
		return made;
	};
	const states = canvas("Coroutines by state over time"), events = canvas("Events over time"), heat = canvas("Delays from ready to running over time");
	const known = CHARTED.get(trace) ?? { map: null, delays: null };
	CHARTED.set(trace, known);
	const length = (shown: Minimap): number => (shown.range.until - shown.range.from) / shown.rows.nrRows;
	/* The charts, each of which can draw with the pen of a canvas or of a file. */
	const charts: [HTMLCanvasElement, (pen: Pen, shown: Minimap, width: number, height: number) => void][] = [[states, (pen, shown, width, height) => {
		drawStack(pen, shown, palette(), LEFT, width - LEFT, height - BOTTOM);
		paintAxis(pen, shown, width, height, marksOf(shown.most / length(shown), height - BOTTOM, height, roundly));
		paintFlags(pen, shown, trace, width, height);
	}], [events, (pen, shown, width, height) => {
		const colours = palette(), most = paintBars(pen, shown, [["events", colours.accent], ["lost", colours.alarm]], width, height);
		paintAxis(pen, shown, width, height, marksOf(most * 1e9 / length(shown), height - BOTTOM - 4, height, (value) => `${roundly(value)}/s`));
	}], [heat, (pen, shown, width, height) => {
		paintAxis(pen, shown, width, height, heatMarks(height));
		if (known.delays)
			paintHeat(pen, known.delays, width, height);
		else
			paintReading(pen, height);
		paintMost(pen, shown, width, height);
	}]];
	const drawChart = (at: number, pen: Pen): void => {
		const [{ clientWidth, clientHeight }, draw] = charts[at]!, range = brush.now ?? chosen;
		if (known.map)
			draw(pen, known.map, clientWidth, clientHeight);
		else
			paintReading(pen, clientHeight);
		if (range)
			paintChosen(pen, trace, range, clientWidth, clientHeight);
	};
	const tellBusy = (): void => charts.forEach(([chart]) => chart.setAttribute("aria-busy", String(!known.map || (chart === heat && !known.delays))));
	const uncounted = h("strong", { id: "uncounted", role: "status" });
	const paint = (): void => charts.forEach(([chart], at) => {
		if (chart.isConnected)
			drawChart(at, sharpen(chart, chart.clientWidth, chart.clientHeight));
	});
	/* A chart with its legend and its copy button. */
	const charted = (number: number, keys: readonly Child[]): HTMLElement => h("div", { class: "charted" }, charts[number]![0], h("div", { class: "aside" }, keys, copyButton("Copy as SVG", () => {
		const [chart] = charts[number]!, pen = new SvgPen(chart.clientWidth, chart.clientHeight, chart.getAttribute("aria-label") ?? "", palette().ground);
		drawChart(number, pen);
		return pen.text();
	})));
	const key = (name: string, words: string): HTMLElement => h("span", null, h("i", { class: `key flat ${name}`, "aria-hidden": "true" }), words);
	const { delays: all } = report.statistics, byState = report.quality.coroutines_by_state;
	fill(into, h("h2", null, "Overview"), h("p", { class: "quiet" }, loadLine(trace).split(" · ").map((part, index) => [index ? " · " : "", h("span", { class: "unbroken" }, part)])),
		h("ul", { class: "tiles" }, Object.entries(byState).filter(([, number]) => number).map(([state, number]) => h("li", null,
			h("strong", null, count(number)), h("span", null, h("i", { class: `bar ${state}`, "aria-hidden": "true" }), ` ${stateWord(state)}`))),
		all.count ? h("li", null, h("strong", null, duration(all.p99_ns)), h("span", null, "99th percentile of the delay")) : null,
		h("li", null, h("strong", null, count(report.quality.lost)), h("span", null, "events lost"))),
		h("p", { class: "quiet" }, "Drag over a chart to choose a range of time. The timeline shows the range, Places compares it with the rest, Waits shows the moment of its end; Esc clears it."),
		chosen ? tellChosen(trace, chosen) : null,
		h("h3", null, "Coroutines by state"), charted(0, STACK.map(([name]) => key(name, name === "syscall" ? "in system calls" : stateWord(name))).reverse()), flagged(trace),
		h("h3", null, "Events a second", report.quality.lost ? `; ${many(report.quality.lost, "event")} lost` : ""), charted(1, [key("events", "events"), report.quality.lost ? key("lost", "lost") : null]),
		h("h3", null, "Delay from ready to running"),
		all.count ? charted(2, [key("events", "delays: the fuller, the more"), key("line", "99 of 100 took at most"), uncounted]) : h("p", { id: "no-delays" }, "None is recorded.", uncounted), h("h3", null, "Workers"), workers(trace));
	const seen = new ResizeObserver(paint);
	seen.observe(states);
	tellBusy();
	void loadCharts(trace, known, () => {
		tellBusy();
		paint();
		uncounted.textContent = known.map ? sayUncounted(known.map) : "";
	}).catch(() => undefined);
	const keydown = (event: KeyboardEvent): void => {
		if (event.key === "Escape" && !document.querySelector("dialog[open]") && !brush.stop() && chosen)
			go("overview");
	};
	window.addEventListener("keydown", keydown);
	return () => {
		seen.disconnect();
		window.removeEventListener("keydown", keydown);
	};
}
