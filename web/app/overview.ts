// SPDX-License-Identifier: MIT
//
// The recording over time: states, events and losses, delays; findings as flags on the same axis. A brush on any of them
// opens the timeline there.

import { go } from "./address";
import { askRows } from "./carrier";
import { fill, h, sharpen } from "./dom";
import { drawStack, loadMinimap, OVERVIEW, type Minimap } from "./minimap";
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

function paintAxis(context: CanvasRenderingContext2D, map: Minimap, width: number, height: number, most: string): void {
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

function paintFlags(context: CanvasRenderingContext2D, map: Minimap, trace: Trace, width: number, height: number): void {
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

function paintBars(context: CanvasRenderingContext2D, map: Minimap, columns: readonly [keyof typeof OVERVIEW, string][], width: number, height: number): number {
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

function paintHeat(context: CanvasRenderingContext2D, heat: number[][], width: number, height: number): void {
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
	const paint = (): void => {
		if (!map || !states.isConnected)
			return;
		const shown = map, length = (shown.range.until - shown.range.from) / shown.rows.nrRows, colours = palette();
		let context = sharpen(states, states.clientWidth, states.clientHeight);
		drawStack(context, shown, colours, LEFT, states.clientWidth - LEFT, states.clientHeight - BOTTOM);
		paintAxis(context, shown, states.clientWidth, states.clientHeight, count(Math.round(shown.most / length)));
		paintFlags(context, shown, trace, states.clientWidth, states.clientHeight);
		context = sharpen(events, events.clientWidth, events.clientHeight);
		const most = paintBars(context, shown, [["events", colours.accent], ["lost", colours.alarm]], events.clientWidth, events.clientHeight);
		paintAxis(context, shown, events.clientWidth, events.clientHeight, `${roughly(most * 1e9 / length)}/s`);
		context = sharpen(heat, heat.clientWidth, heat.clientHeight);
		paintAxis(context, shown, heat.clientWidth, heat.clientHeight, "");
		if (delays)
			paintHeat(context, delays, heat.clientWidth, heat.clientHeight);
	};
	const { delays: all } = report.statistics, byState = report.quality.coroutines_by_state;
	fill(into, h("h2", null, "Overview"), h("p", { class: "quiet" }, loadLine(trace)),
		h("ul", { class: "tiles" }, Object.entries(byState).filter(([, number]) => number).map(([state, number]) => h("li", null,
			h("strong", null, count(number)), h("span", null, h("i", { class: `bar ${state}`, "aria-hidden": "true" }), ` ${state}`))),
		h("li", null, h("strong", null, duration(all.p99_ns)), h("span", null, "delay, 99 of 100 at most")),
		h("li", null, h("strong", null, count(report.quality.lost)), h("span", null, "events lost"))),
		h("p", { class: "quiet" }, "Drag over a chart to choose a range of time, which the timeline shows and the other screens keep: places compare it with the rest."),
		h("h3", null, "Coroutines by state"), states, h("h3", null, "Events a second", report.quality.lost ? `; ${many(report.quality.lost, "event")} lost` : ""), events,
		h("h3", null, "Delay from ready to running"), heat, h("h3", null, "Workers"), workers(trace));
	const seen = new ResizeObserver(paint);
	seen.observe(states);
	void loadMinimap(trace.from, trace.until, 300).then((loaded) => { map = loaded; paint(); return loadHeat(trace); })
		.then((loaded) => { delays = loaded; paint(); }).catch(() => undefined);
	return () => seen.disconnect();
}
