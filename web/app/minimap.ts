// SPDX-License-Identifier: MIT
//
// The whole recording in one strip: how many coroutines were in each state, and where events are missing.

import { askRows, askRowsOf } from "./carrier";
import { sharpen } from "./dom";
import { FIRST_REQUESTS } from "./names";
import type { Pen } from "./pen";
import { ticksOf, type Range } from "./range";
import type { Rows } from "./rows";
import type { Palette } from "./states";

/** Columns of an overview (V-15), in the order of the request. */
export const OVERVIEW = { from: 0, unseen: 1, ready: 2, running: 3, waiting: 4, events: 5, wakes: 6, lost: 7, p50: 8, p99: 9, max: 10, uncounted: 11, syscall: 12 } as const;
/** From the bottom up: running coroutines are the most visible. */
export const STACK: readonly [keyof typeof OVERVIEW, number][] = [["running", 2], ["syscall", 4], ["ready", 1], ["waiting", 3], ["unseen", 0]];

export interface Minimap {
	range: Range;
	rows: Rows;
	/** The sum of the coroutines' times in the fullest step, in nanoseconds. */
	most: number;
}

/** Loads the minimap of the whole recording. */
export async function loadMinimap({ from, until }: Range, steps?: number): Promise<Minimap> {
	const rows = steps ? await askRows("overview", { steps }) : await askRowsOf(FIRST_REQUESTS.overview);
	let most = 1;
	for (let row = 0; row < rows.nrRows; row++)
		most = Math.max(most, STACK.reduce((sum, [name]) => sum + (rows.number(OVERVIEW[name], row) || 0), 0));
	return { range: { from, until }, rows, most };
}

/** Draws the states as a stack whose height is the number of coroutines. */
export function drawStack(context: Pen, map: Minimap, colours: Palette, x: number, width: number, height: number): void {
	const { rows } = map, step = width / rows.nrRows;
	for (let row = 0; row < rows.nrRows; row++) {
		const left = Math.floor(x + row * step), right = Math.floor(x + (row + 1) * step);
		let y = height;
		for (const [name, state] of STACK) {
			const tall = (rows.number(OVERVIEW[name], row) || 0) / map.most * height;
			context.fillStyle = colours.state[state]!;
			context.fillRect(left, y - tall, Math.max(1, right - left), tall);
			y -= tall;
		}
		if (rows.number(OVERVIEW.lost, row) > 0) {
			context.fillStyle = colours.alarm;
			context.fillRect(x + row * step, 0, Math.max(2, step), 5);
		}
	}
}

/** The height of the times below the stack. */
export const TIMES = 14;

/** Draws round times of the whole recording below the stack. */
export function drawTimes(pen: CanvasRenderingContext2D, range: Range, colours: Palette, width: number, height: number): void {
	pen.font = "11px system-ui, sans-serif";
	pen.textBaseline = "middle";
	pen.textAlign = "center";
	pen.fillStyle = colours.quiet;
	for (const { at, words } of ticksOf(range, width / 130)) {
		const x = (at - range.from) / (range.until - range.from) * width, half = pen.measureText(words).width / 2;
		pen.fillRect(Math.min(Math.round(x), width - 1), height, 1, 3);
		pen.fillText(words, Math.min(Math.max(x, half), width - half), height + TIMES / 2 + 1);
	}
}

const drawn = new WeakMap<Minimap, { canvas: HTMLCanvasElement; colours: Palette; width: number; height: number }>();

/** Returns the stack, which is the same in each frame: it is drawn once for each size and palette. */
function stackOf(map: Minimap, colours: Palette, width: number, height: number): HTMLCanvasElement {
	const before = drawn.get(map);
	if (before && before.colours === colours && before.width === width && before.height === height)
		return before.canvas;
	const canvas = document.createElement("canvas");
	drawStack(sharpen(canvas, width, height), map, colours, 0, width, height);
	drawn.set(map, { canvas, colours, width, height });
	return canvas;
}

/** Draws where the steps of the chosen finding are in the whole recording. */
function drawSteps(pen: CanvasRenderingContext2D, times: readonly number[], colours: Palette, x: (time: number) => number): void {
	pen.fillStyle = colours.alarm;
	for (const time of times) {
		const at = x(time);
		pen.beginPath();
		pen.moveTo(at - 5, 0);
		pen.lineTo(at + 5, 0);
		pen.lineTo(at, 8);
		pen.fill();
	}
}

export function drawMinimap(canvas: HTMLCanvasElement, map: Minimap, seen: Range, steps: readonly number[], colours: Palette): void {
	const width = canvas.clientWidth, whole = canvas.clientHeight, height = whole - TIMES, context = sharpen(canvas, width, whole);
	const length = map.range.until - map.range.from;
	const left = (seen.from - map.range.from) / length * width, right = (seen.until - map.range.from) / length * width;
	context.drawImage(stackOf(map, colours, width, height), 0, 0, width, height);
	context.fillStyle = colours.ground;
	context.globalAlpha = 0.6;
	context.fillRect(0, 0, left, height);
	context.fillRect(right, 0, width - right, height);
	context.globalAlpha = 1;
	context.strokeStyle = colours.accent;
	context.lineWidth = 2;
	context.strokeRect(left + 1, 1, Math.max(2, right - left - 2), height - 2);
	drawSteps(context, steps, colours, (time) => Math.min(Math.max((time - map.range.from) / length * width, 5), width - 5));
	drawTimes(context, map.range, colours, width, height);
}
