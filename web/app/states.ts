// SPDX-License-Identifier: MIT
//
// How states are drawn: each by colour and by shape, so that either tells it.

import { colour } from "./dom";

export const STATES = ["unseen", "ready", "running", "waiting", "done", "destroyed"] as const;

/** The share of a lane's height that a state takes. */
const HEIGHTS: Record<string, number> = { running: 1, ready: 0.62, waiting: 0.28, unseen: 0.12 };

export interface Palette {
	state: string[];
	ink: string;
	quiet: string;
	line: string;
	ground: string;
	raised: string;
	accent: string;
	alarm: string;
}

let known: Palette | null = null;
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { known = null; });

/** The colours of the page as it looks now: dark or light. */
export function palette(): Palette {
	known ??= {
		state: STATES.map((state) => colour(`state-${state}`)),
		ink: colour("ink"), quiet: colour("quiet"), line: colour("line"), ground: colour("ground"),
		raised: colour("raised"), accent: colour("accent"), alarm: colour("alarm"),
	};
	return known;
}

/** One state as a bar in a lane that is `height` high from `y` on. */
export function drawState(
	context: CanvasRenderingContext2D, colours: Palette, state: number, x: number, y: number, width: number, height: number): void {
	const share = HEIGHTS[STATES[state] ?? ""] ?? 0.2, tall = Math.max(2, height * share);
	context.fillStyle = colours.state[state] ?? colours.quiet;
	context.fillRect(x, y + (height - tall) / 2, Math.max(1, width), tall);
	if (STATES[state] === "ready" && width > 9)
		hatch(context, colours.ground, x, y + (height - tall) / 2, width, tall);
}

/** Slanted strokes: made ready, and not running. */
function hatch(context: CanvasRenderingContext2D, stroke: string, x: number, y: number, width: number, height: number): void {
	context.save();
	context.beginPath();
	context.rect(x, y, width, height);
	context.clip();
	context.beginPath();
	const end = Math.min(x + width, context.canvas.width);
	for (let at = Math.max(x - height, -height); at < end; at += 8) {
		context.moveTo(at, y + height);
		context.lineTo(at + height, y);
	}
	context.strokeStyle = stroke;
	context.lineWidth = 1.5;
	context.stroke();
	context.restore();
}
