// SPDX-License-Identifier: MIT
//
// A small plot of rows: bars by name, or a line over numbers. Drawn as SVG, so that the plot can be copied.

import { h } from "./dom";
import { roughly } from "./say";

export type Cell = string | number | null;

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 900;
const HEIGHT = 260;
const LEFT = 70;
const BOTTOM = 34;
const BARS = 40;

export function shape<K extends keyof SVGElementTagNameMap>(name: K, properties: Record<string, string | number>, text = ""): SVGElementTagNameMap[K] {
	const made = document.createElementNS(SVG, name);
	for (const [key, value] of Object.entries(properties))
		made.setAttribute(key, String(value));
	if (text)
		made.textContent = text;
	return made;
}

function frame(most: number, least: number): SVGSVGElement {
	const drawn = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img", "aria-label": "Plot" });
	drawn.append(shape("line", { x1: LEFT, x2: WIDTH, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }),
		shape("text", { x: LEFT - 6, y: 14, "text-anchor": "end" }, roughly(most)),
		shape("text", { x: LEFT - 6, y: HEIGHT - BOTTOM, "text-anchor": "end" }, roughly(least)));
	return drawn;
}

function bars(rows: readonly Cell[][], x: number, y: number): SVGSVGElement {
	const shown = rows.slice(0, BARS), most = Math.max(1e-9, ...shown.map((row) => Number(row[y] ?? 0))), drawn = frame(most, 0);
	const step = (WIDTH - LEFT) / Math.max(1, shown.length);
	shown.forEach((row, at) => {
		const tall = Math.max(0, Number(row[y] ?? 0)) / most * (HEIGHT - BOTTOM - 8), words = String(row[x] ?? "");
		const bar = shape("rect", { x: LEFT + at * step + step * 0.1, y: HEIGHT - BOTTOM - tall, width: step * 0.8, height: tall });
		bar.append(shape("title", {}, `${words}: ${row[y] ?? ""}`));
		drawn.append(bar);
		const room = Math.floor(step / 7);
		if (room > 2)
			drawn.append(shape("text", { x: LEFT + (at + 0.5) * step, y: HEIGHT - 14, "text-anchor": "middle" }, words.length > room ? `${words.slice(0, room - 1)}…` : words));
	});
	return drawn;
}

function line(rows: readonly Cell[][], x: number, y: number): SVGSVGElement {
	const points = rows.filter((row) => row[x] !== null && row[y] !== null).map((row) => [Number(row[x]), Number(row[y])] as const).sort((a, b) => a[0] - b[0]);
	let [first, last, least, most] = [Infinity, -Infinity, 0, 1e-9];
	for (const [at, value] of points)
		[first, last, least, most] = [Math.min(first, at), Math.max(last, at), Math.min(least, value), Math.max(most, value)];
	const drawn = frame(most, least), wide = (WIDTH - LEFT - 6) / Math.max(1e-9, last - first), tall = (HEIGHT - BOTTOM - 8) / Math.max(1e-9, most - least);
	const path = points.map(([at, value], index) => `${index ? "L" : "M"}${(LEFT + (at - first) * wide).toFixed(1)} ${(HEIGHT - BOTTOM - (value - least) * tall).toFixed(1)}`);
	drawn.append(shape("path", { d: path.join("") }), shape("text", { x: LEFT, y: HEIGHT - 14 }, roughly(first)),
		shape("text", { x: WIDTH - 4, y: HEIGHT - 14, "text-anchor": "end" }, roughly(last)));
	return drawn;
}

/** Returns the columns in which each cell is a number, or empty. */
export function numericColumns(columns: readonly string[], rows: readonly Cell[][]): number[] {
	return columns.map((_, at) => at).filter((at) => rows.some((row) => typeof row[at] === "number") && rows.every((row) => row[at] === null || typeof row[at] === "number"));
}

/** Plots `y` over `x`: a line if both are numbers and there are many rows, else bars. */
export function plot(rows: readonly Cell[][], x: number, y: number): HTMLElement {
	const isLine = rows.length > 2 && x !== y && rows.every((row) => row[x] === null || typeof row[x] === "number");
	return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Plot of the answer" }, isLine ? line(rows, x, y) : bars(rows, x, y),
		!isLine && rows.length > BARS ? h("p", { class: "quiet" }, `The first ${BARS} rows.`) : null);
}
