// SPDX-License-Identifier: MIT
//
// How states are drawn: each by colour and by shape, either of which is sufficient. A wait is shaded by its cause, with
// a pattern and a letter of its own.

import { colour } from "./dom";
import { STATE_WORDS } from "./names";
import type { Pen } from "./pen";
import { shortAddress } from "./say";
import { CAUSES, causeOfResource } from "./shades";

export const STATES = STATE_WORDS.map(([name]) => name);

const WORDS = new Map(STATE_WORDS);

/** Returns the words for a state, the same on all screens and in reports. */
export function stateWord(state: string): string {
	return WORDS.get(state) ?? state;
}

/** The share of a lane's height that a state takes. */
const HEIGHTS: Record<string, number> = { running: 1, syscall: 0.8, ready: 0.66, waiting: 0.55, unseen: 0.12 };
/** A narrower bar has no room for a pattern, and only the colour is left: the words at the pointer say what it is. */
const PATTERN_WIDTH = 9;
const LETTER_WIDTH = 22;

export interface Palette {
	state: string[];
	/** The colours of waits, by the number of the cause. */
	wait: string[];
	held: string;
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

/** Returns the colours of the page in its present mode: dark or light. */
export function palette(): Palette {
	known ??= {
		state: STATES.map((state) => colour(`state-${state}`)), wait: CAUSES.map((cause) => colour(`wait-${cause.name}`)), held: colour("held"),
		ink: colour("ink"), quiet: colour("quiet"), line: colour("line"), ground: colour("ground"),
		raised: colour("raised"), accent: colour("accent"), alarm: colour("alarm"),
	};
	return known;
}

/**
 * Draws one state as a bar in a lane that begins at `y` and is `height` high; `resource` is the number of the awaited
 * resource's kind.
 */
export function drawState(
	pen: Pen, colours: Palette, state: number, x: number, y: number, width: number, height: number, resource = 0): void {
	const name = STATES[state] ?? "", tall = Math.max(2, height * (HEIGHTS[name] ?? 0.2)), top = y + (height - tall) / 2;
	if (name === "waiting") {
		drawWait(pen, colours, causeOfResource(resource), { x, y: top, width, height: tall });
		return;
	}
	pen.fillStyle = colours.state[state] ?? colours.quiet;
	pen.fillRect(x, top, Math.max(1, width), tall);
	if (name === "ready" && width > PATTERN_WIDTH)
		hatch(pen, colours.ground, x, top, width, tall);
}

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

function drawWait(pen: Pen, colours: Palette, number: number, box: Box): void {
	const { name, letter } = CAUSES[number]!, { x, y, height } = box, width = Math.max(1, box.width), isWide = width > PATTERN_WIDTH;
	pen.fillStyle = colours.wait[number]!;
	if (name === "other") {
		pen.fillRect(x, y + height * 0.3, width, height * 0.4);
	} else if (name === "timer" && isWide) {
		dashes(pen, colours.wait[number]!, box, height * 0.6, [3, 3]);
	} else if (name === "descriptor" && isWide) {
		pen.fillRect(x, y, width, height * 0.38);
		pen.fillRect(x, y + height * 0.62, width, height * 0.38);
	} else if (isWide && name === "channel") {
		dashes(pen, colours.wait[number]!, box, height, [4, 2]);
	} else if (isWide && name === "coroutine") {
		dashes(pen, colours.wait[number]!, box, height * 0.75, [12, 2]);
	} else {
		pen.fillRect(x, y, width, height);
	}
	if (letter && width > LETTER_WIDTH)
		drawLetter(pen, colours, letter, x + 3, y + height / 2);
}

/** Draws a letter on a background of its own, so that no pattern crosses it. */
function drawLetter(pen: Pen, colours: Palette, letter: string, x: number, y: number): void {
	const { font, textBaseline } = pen;
	pen.font = "600 10px system-ui, sans-serif";
	pen.textBaseline = "middle";
	pen.fillStyle = colours.ground;
	pen.fillRect(x, y - 6, 11, 12);
	pen.fillStyle = colours.ink;
	pen.fillText(letter, x + 2, y + 0.5);
	pen.font = font;
	pen.textBaseline = textBaseline;
}

/**
 * Draws a time in which an object is held: a bar in a colour of its own, with a letter, and with slanted strokes while
 * others wait for the object.
 */
export function drawHeld(pen: Pen, colours: Palette, x: number, y: number, width: number, height: number, isWaitedFor: boolean): void {
	pen.fillStyle = colours.held;
	pen.fillRect(x, y, Math.max(1, width), height);
	if (isWaitedFor && width > PATTERN_WIDTH)
		hatch(pen, colours.ground, x, y, width, height);
	if (width > LETTER_WIDTH)
		drawLetter(pen, colours, "H", x + 3, y + height / 2);
}

const WORDS_HEIGHT = 16;

/**
 * Begins a bar with its letter and as many of the first words as fit, in a frame of the bar's own colour: the frame is
 * the bar's beginning, and no pattern crosses the words.
 */
export function drawWaitWords(
	pen: Pen, colours: Palette, { colour: edge, letter }: { colour: string; letter: string }, words: string, x: number, middle: number, width: number): void {
	const { font } = pen, begin = x + (letter ? 17 : 5), room = x + width - begin - 8;
	pen.font = WORDS_FONT;
	const fitting = fittingWords(pen, words, room), top = middle - WORDS_HEIGHT / 2;
	if (fitting) {
		const wide = begin - x + pen.measureText(fitting).width + 5;
		pen.fillStyle = edge;
		pen.fillRect(x, top, wide, WORDS_HEIGHT);
		pen.fillStyle = colours.ground;
		pen.fillRect(x + 1.5, top + 1.5, wide - 3, WORDS_HEIGHT - 3);
		if (letter)
			drawLetter(pen, colours, letter, x + 3, middle);
		pen.fillStyle = colours.ink;
		pen.fillText(fitting, begin, middle + 1);
	}
	pen.font = font;
}

const WORDS_FONT = "11px system-ui, sans-serif";

function fittingWords(pen: Pen, words: string, room: number): string {
	let fitting = pen.measureText(words).width > room ? shortAddress(words) : words;
	while (fitting && pen.measureText(fitting).width > room)
		fitting = fitting.includes(" ") ? fitting.slice(0, fitting.lastIndexOf(" ")) : "";
	return fitting;
}

/** Where the words end that drawWaitWords draws at most. */
export function waitWordsEnd(pen: Pen, words: string, x: number): number {
	const { font } = pen;
	pen.font = WORDS_FONT;
	const end = x + 22 + pen.measureText(words).width;
	pen.font = font;
	return end;
}

/** The colour and the letter of a wait for this kind of resource; of an object that is held. */
export function waitMark(colours: Palette, resource: number): { colour: string; letter: string } {
	const cause = causeOfResource(resource);
	return { colour: colours.wait[cause]!, letter: CAUSES[cause]!.letter };
}

export function heldMark(colours: Palette): { colour: string; letter: string } {
	return { colour: colours.held, letter: "H" };
}

/** Draws dashes as one line, however long: as cheap as a bar. */
function dashes(pen: Pen, stroke: string, { x, y, width, height }: Box, thick: number, lengths: number[]): void {
	pen.strokeStyle = stroke;
	pen.lineWidth = thick;
	pen.setLineDash(lengths);
	pen.beginPath();
	pen.moveTo(x, y + height / 2);
	pen.lineTo(x + width, y + height / 2);
	pen.stroke();
	pen.setLineDash([]);
}

/** Slanted strokes: ready, but not running. */
function hatch(pen: Pen, stroke: string, x: number, y: number, width: number, height: number): void {
	pen.save();
	pen.beginPath();
	pen.rect(x, y, width, height);
	pen.clip();
	pen.beginPath();
	for (let at = Math.max(x - height, -height); at < x + width; at += 8) {
		pen.moveTo(at, y + height);
		pen.lineTo(at + height, y);
	}
	pen.strokeStyle = stroke;
	pen.lineWidth = 1.5;
	pen.stroke();
	pen.restore();
}
