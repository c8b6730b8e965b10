// SPDX-License-Identifier: MIT
//
// The recording over time: states, events and losses, delays; findings as flags on the same axis. A brush on any of them
// opens the timeline there.

import { go } from "./address";
import { askRows } from "./carrier";
import { copyButton, fill, h, sharpen } from "./dom";
import { drawStack, loadMinimap, OVERVIEW, type Minimap } from "./minimap";
import { SvgPen, type Pen } from "./pen";
import { ticksOf } from "./range";
import { count, duration, many, moment, percent, roughly } from "./say";
import { palette } from "./states";
import { loadLine, threadName, type Trace } from "./trace";

const LEFT = 74;
const BOTTOM = 20;
const HEAT_STEPS = 60;
/** Powers of two of nanoseconds that the heat map has rows for: 256 ns to 16 s. */
const HEAT_FIRST = 8;
const HEAT_ROWS = 27;

function paintAxis(context: Pen, map: Minimap, width: number, height: number, most: string): void {
	const colours = palette(), { step, ticks } = ticksOf(map.range, width / 120);
	context.font = "12px system-ui, sans-serif";
	context.fillStyle = colours.quiet;
	context.textAlign = "right";
	context.fillText(most, LEFT - 6, 12);
	context.fillText("0", LEFT - 6, height - BOTTOM);
	context.textAlign = "center";
	for (const at of ticks)
		context.fillText(moment(at, step), Math.min(LEFT + (at - map.range.from) / (map.range.until - map.range.from) * (width - LEFT), width - 26), height - 5);
	context.textAlign = "left";
}

function paintFlags(context: Pen, map: Minimap, trace: Trace, width: number, height: number): void {
	const colours = palette();
	trace.report.findings.slice(0, 9).forEach((finding, index) => {
		const at = finding.steps.find((step) => step.event !== null && step.time_ns !== null)?.time_ns;
		if (at === undefined || at === null)
			return;
		const x = LEFT + (at - map.range.from) / (map.range.until - map.range.from) * (width - LEFT);
		context.strokeStyle = context.fillStyle = colours.alarm;
		context.beginPath();
		context.moveTo(x, 0);
		context.lineTo(x, height - BOTTOM);
		context.stroke();
		context.beginPath();
		context.arc(x + 8, 9, 8, 0, 7);
		context.fill();
		context.fillStyle = colours.ground;
		context.fillText(String(index + 1), x + 5, 13);
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

/** Delays by when they ended and how long they were: darker is more. */
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
	context.fillStyle = colours.quiet;
	context.textAlign = "right";
	for (let row = 0; row < HEAT_ROWS; row += 6)
		context.fillText(duration(2 ** (row + HEAT_FIRST)), LEFT - 6, height - BOTTOM - row * tall);
	context.textAlign = "left";
}

function brush(canvas: HTMLCanvasElement, trace: Trace): void {
	let begin = NaN;
	const at = (event: PointerEvent): number =>
		trace.from + Math.max(0, (event.offsetX - LEFT) / (canvas.clientWidth - LEFT)) * (trace.until - trace.from);
	canvas.addEventListener("pointerdown", (event) => { begin = at(event); });
	canvas.addEventListener("pointerup", (event) => {
		const end = at(event), least = (trace.until - trace.from) / 200, middle = (begin + end) / 2, half = Math.max(Math.abs(end - begin), least) / 2;
		go("timeline", { from: Math.round(middle - half), until: Math.round(middle + half) });
	});
}

function workers(trace: Trace): HTMLElement {
	const rows = trace.report.statistics.workers.map((worker) => {
		const all = worker.running_ns + worker.scheduling_ns + worker.blocked_ns + worker.idle_ns;
		return h("tr", null, h("th", { scope: "row" }, threadName(worker.thread)),
			[worker.running_ns, worker.scheduling_ns, worker.blocked_ns, worker.idle_ns].map((ns) =>
				h("td", { class: "number" }, duration(ns), h("br", null), h("span", { class: "quiet" }, percent(ns, all)))),
			h("td", { class: "number" }, count(worker.resumes)));
	});
	return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Workers" }, h("table", null, h("thead", null, h("tr", null,
		["worker", "ran coroutines", "scheduled", "blocked in calls", "idle", "resumes"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", null, rows)));
}

export function showOverview(into: HTMLElement, trace: Trace): () => void {
	const { report } = trace;
	const canvas = (label: string): HTMLCanvasElement => {
		const made = h("canvas", { class: "chart", role: "img", "aria-label": label });
		brush(made, trace);
		return made;
	};
	const states = canvas("Coroutines by state over time"), events = canvas("Events over time"), heat = canvas("Delays from ready to running over time");
	let map: Minimap | null = null, delays: number[][] | null = null;
	const length = (shown: Minimap): number => (shown.range.until - shown.range.from) / shown.rows.nrRows;
	/* Each chart, drawn with the pen of a canvas or of a file. */
	const charts: [HTMLCanvasElement, (pen: Pen, shown: Minimap, width: number, height: number) => void][] = [[states, (pen, shown, width, height) => {
		drawStack(pen, shown, palette(), LEFT, width - LEFT, height - BOTTOM);
		paintAxis(pen, shown, width, height, count(Math.round(shown.most / length(shown))));
		paintFlags(pen, shown, trace, width, height);
	}], [events, (pen, shown, width, height) => {
		const colours = palette(), most = paintBars(pen, shown, [["events", colours.accent], ["lost", colours.alarm]], width, height);
		paintAxis(pen, shown, width, height, `${roughly(most * 1e9 / length(shown))}/s`);
	}], [heat, (pen, shown, width, height) => {
		paintAxis(pen, shown, width, height, "");
		if (delays)
			paintHeat(pen, delays, width, height);
	}]];
	const paint = (): void => {
		for (const [chart, draw] of charts)
			if (map && chart.isConnected)
				draw(sharpen(chart, chart.clientWidth, chart.clientHeight), map, chart.clientWidth, chart.clientHeight);
	};
	const copy = (number: number): HTMLElement => h("p", { class: "actions" }, copyButton("Copy as SVG", () => {
		const [chart, draw] = charts[number]!, pen = new SvgPen(chart.clientWidth, chart.clientHeight, chart.getAttribute("aria-label") ?? "", palette().ground);
		if (map)
			draw(pen, map, chart.clientWidth, chart.clientHeight);
		return pen.text();
	}));
	const { delays: all } = report.statistics, byState = report.quality.coroutines_by_state;
	fill(into, h("h2", null, "Overview"), h("p", { class: "quiet" }, loadLine(trace)),
		h("ul", { class: "tiles" }, Object.entries(byState).filter(([, number]) => number).map(([state, number]) => h("li", null,
			h("strong", null, count(number)), h("span", null, h("i", { class: `bar ${state}`, "aria-hidden": "true" }), ` ${state}`))),
		h("li", null, h("strong", null, duration(all.p99_ns)), h("span", null, "delay, 99 of 100 at most")),
		h("li", null, h("strong", null, count(report.quality.lost)), h("span", null, "events lost"))),
		h("p", { class: "quiet" }, "Drag over a chart to choose a range of time, which the timeline shows and the other screens keep: places compare it with the rest."),
		h("h3", null, "Coroutines by state"), states, copy(0), h("h3", null, "Events a second", report.quality.lost ? `; ${many(report.quality.lost, "event")} lost` : ""), events, copy(1),
		h("h3", null, "Delay from ready to running"), heat, copy(2), h("h3", null, "Workers"), workers(trace));
	const seen = new ResizeObserver(paint);
	seen.observe(states);
	void loadMinimap(trace.from, trace.until, 300).then((loaded) => { map = loaded; paint(); return loadHeat(trace); })
		.then((loaded) => { delays = loaded; paint(); }).catch(() => undefined);
	return () => seen.disconnect();
}
