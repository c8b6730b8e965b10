// SPDX-License-Identifier: MIT
//
// Draws the picture of the timeline with any pen, from the data that is known at that moment: this file requests
// nothing, and keeps nothing. A lane is never drawn finer than its slices were requested.

import { barOf, WORDS_WIDTH, type BarWords } from "./bars";
import type { Beside } from "./besides";
import type { Arrow } from "./causes";
import type { Lane, Lanes, Row } from "./lanes";
import type { Pen } from "./pen";
import { ticksOf, type Range } from "./range";
import { sayObject } from "./panels";
import { count, duration, many, moment, shortAddress } from "./say";
import type { Slice } from "./slices";
import { drawHeld, drawState, drawWaitWords, heldMark, type Palette, STATES, waitMark, waitWordsEnd } from "./states";

export const LANE_HEIGHT = 26;
export const AXIS_HEIGHT = 40;
const BAR_HEIGHT = 18;
const FLAG_RADIUS = 8;
const ZEBRA = 0.5;
/** In a narrower bar of a lock there is room only for the holder. */
const HELD_WIDTH = 140;
/** A hint behind a name that has less room than this is left out. */
const HINT_LEAST = 30;

/** A step of the chosen finding. */
export interface Flag {
	time: number;
	number: number;
}

export interface Scene {
	width: number;
	height: number;
	/** The width of the lanes' names. */
	names: number;
	range: Range;
	lanes: Lanes;
	/** The first row on the screen. */
	top: number;
	/** The row that keys act on. */
	row: number;
	slices: ReadonlyMap<string, Slice[]>;
	words: BarWords;
	besides: readonly Beside[];
	selected: { lane: string; slice: Slice } | null;
	arrows: readonly Arrow[];
	flags: readonly Flag[];
	/** The number of the chosen step. */
	step: number;
	/** The event that the reader went to. */
	event: { time: number; words: string } | null;
	/** The range that the reader is drawing. */
	brush: Range | null;
	/** The area whose sums are shown, with its rows; `rows` null: all rows. */
	area: (Range & { rows: readonly [number, number] | null }) | null;
	/** The row at which a dragged lane would be dropped. */
	drop: number | null;
	isAnswered: boolean;
	colours: Palette;
}

export function xOf(scene: Pick<Scene, "range" | "width" | "names">, ns: number): number {
	const { from, until } = scene.range;
	return scene.names + (ns - from) / (until - from) * (scene.width - scene.names);
}

export function rowsSeen(height: number): number {
	return Math.max(1, Math.floor((height - AXIS_HEIGHT) / LANE_HEIGHT));
}

/**
 * Returns the row that is shown `row` rows below the axis. The first place shows the head of the group until the
 * group's last lane has scrolled away.
 */
export function rowAt(lanes: Lanes, top: number, row: number): number {
	return row ? top + row : lanes.headOf(top);
}

export function drawScene(pen: Pen, scene: Scene): void {
	pen.font = "12px system-ui, sans-serif";
	pen.textBaseline = "middle";
	drawAxis(pen, scene);
	drawPauses(pen, scene);
	for (let row = 0; row <= rowsSeen(scene.height) && scene.top + row < scene.lanes.count; row++) {
		const index = rowAt(scene.lanes, scene.top, row), found = scene.lanes.at(index);
		if (found)
			drawRow(pen, scene, found, index, AXIS_HEIGHT + row * LANE_HEIGHT);
	}
	drawLostWords(pen, scene);
	drawFlags(pen, scene);
	drawEvent(pen, scene);
	drawArrows(pen, scene);
	drawHands(pen, scene);
	if (!scene.isAnswered) {
		pen.fillStyle = scene.colours.quiet;
		pen.fillText("The events are being read ...", scene.names + 20, AXIS_HEIGHT + LANE_HEIGHT / 2);
	}
}

function line(pen: Pen, x1: number, y1: number, x2: number, y2: number): void {
	pen.beginPath();
	pen.moveTo(x1, y1);
	pen.lineTo(x2, y2);
	pen.stroke();
}

function drawAxis(pen: Pen, scene: Scene): void {
	const { colours, names, width, height } = scene;
	pen.fillStyle = colours.quiet;
	pen.strokeStyle = colours.line;
	pen.lineWidth = 1;
	pen.textAlign = "center";
	for (const { at, words } of ticksOf(scene.range, (width - names) / 110)) {
		const x = Math.round(xOf(scene, at)) + 0.5;
		if (x < names)
			continue;
		line(pen, x, 22, x, height);
		const half = pen.measureText(words).width / 2;
		pen.fillText(words, Math.min(Math.max(x, names + half), width - half - 2), 11);
	}
	pen.textAlign = "left";
}

// ---------------------------------------------------------------- ranges besides states

/** Draws a range as a line: full for pauses and collection, dashed for regions, dotted for lost events. */
function drawBeside(pen: Pen, scene: Scene, { kind, from, until }: Beside, y: number): void {
	const x = Math.max(xOf(scene, from), scene.names), end = Math.min(xOf(scene, until), scene.width);
	if (end < scene.names || x > scene.width)
		return;
	pen.strokeStyle = kind === "pause" || kind === "lost" ? scene.colours.alarm : kind === "region" ? scene.colours.accent : scene.colours.ink;
	pen.lineWidth = 3;
	pen.setLineDash(kind === "region" ? [6, 2] : kind === "lost" ? [2, 2] : []);
	line(pen, x, y + 1.5, Math.max(end, x + 1), y + 1.5);
	pen.setLineDash([]);
}

/** Where events are missing, no lane is complete: the time is shaded over all lanes. */
function drawLost(pen: Pen, scene: Scene, x: number, end: number): void {
	pen.fillStyle = scene.colours.alarm;
	pen.globalAlpha = 0.1;
	pen.fillRect(x, AXIS_HEIGHT, Math.max(1, end - x), scene.height - AXIS_HEIGHT);
	pen.globalAlpha = 1;
}

/** Says at the lower edge, over the lanes, what is missing. */
function drawLostWords(pen: Pen, scene: Scene): void {
	for (const { kind, name, from, until } of scene.besides) {
		const words = `lost: ${name}`, width = pen.measureText(words).width, x = Math.max(xOf(scene, from), scene.names), end = Math.min(xOf(scene, until), scene.width);
		if (kind !== "lost" || end - x < width + 14)
			continue;
		pen.fillStyle = scene.colours.ground;
		pen.fillRect(x + 1, scene.height - 20, width + 10, 19);
		pen.fillStyle = scene.colours.alarm;
		pen.fillText(words, x + 6, scene.height - 10);
	}
}

/** Draws the ranges that concern all lanes on the axis. During a pause of the whole program, all lanes are shaded. */
function drawPauses(pen: Pen, scene: Scene): void {
	for (const beside of scene.besides) {
		if (beside.lane)
			continue;
		const x = Math.max(xOf(scene, beside.from), scene.names), end = Math.min(xOf(scene, beside.until), scene.width);
		if (beside.kind === "pause" && end >= scene.names && x <= scene.width) {
			pen.globalAlpha = 0.16;
			pen.fillStyle = scene.colours.alarm;
			pen.fillRect(x, AXIS_HEIGHT, Math.max(1, end - x), scene.height - AXIS_HEIGHT);
			pen.globalAlpha = 1;
		}
		if (beside.kind === "lost" && end >= scene.names && x <= scene.width)
			drawLost(pen, scene, x, end);
		drawBeside(pen, scene, beside, AXIS_HEIGHT - 4);
	}
}

// ---------------------------------------------------------------- rows

/** Every other lane is a little darker, so that the eye can follow a lane. */
function drawGround(pen: Pen, colours: Palette, share: number, width: number, y: number): void {
	if (!share)
		return;
	pen.globalAlpha = share;
	pen.fillStyle = colours.raised;
	pen.fillRect(0, y, width, LANE_HEIGHT);
	pen.globalAlpha = 1;
}

function drawRow(pen: Pen, scene: Scene, row: Row, index: number, y: number): void {
	const { colours, names } = scene, isChosen = index === scene.row, ground = isChosen || row.isHead ? 1 : index % 2 ? 0 : ZEBRA;
	drawGround(pen, colours, ground, scene.width, y);
	if (row.lane) {
		for (const slice of scene.slices.get(row.lane.key) ?? [])
			drawSlice(pen, scene, slice, y);
		for (const beside of scene.besides)
			if (beside.lane === row.lane.key)
				drawBeside(pen, scene, beside, y + LANE_HEIGHT - 3);
		drawEnded(pen, scene, row.lane, y);
		drawElsewhere(pen, scene, row.lane, y);
		drawLasting(pen, scene, row.lane, y);
	}
	/* Covers the bars that begin left of the range, so that they end at the names. */
	pen.fillStyle = colours.ground;
	pen.fillRect(0, y, names - 6, LANE_HEIGHT);
	drawGround(pen, colours, ground, names - 6, y);
	if (isChosen) {
		pen.fillStyle = colours.accent;
		pen.fillRect(0, y, 3, LANE_HEIGHT);
	}
	pen.save();
	pen.beginPath();
	/* A head without bars of its own has the whole row for its words. */
	const room = row.isHead && !row.lane ? scene.width - 16 : names - 16;
	pen.rect(8, y, room, LANE_HEIGHT);
	pen.clip();
	if (row.isHead)
		drawHead(pen, colours, row, 8 + room, y);
	else if (row.lane)
		drawName(pen, scene, row.lane, y, room);
	pen.restore();
}

/** Returns as many of the first words as fit, with an ellipsis for those that do not; an address is cut first, in the middle. */
function fitted(pen: Pen, all: string, width: number): string {
	const words = pen.measureText(all).width <= width ? all : shortAddress(all);
	if (pen.measureText(words).width <= width)
		return words;
	let low = 0, high = words.length;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (pen.measureText(`${words.slice(0, middle)}…`).width <= width)
			low = middle;
		else
			high = middle - 1;
	}
	return `${words.slice(0, low).trimEnd()}…`;
}

function drawHead(pen: Pen, colours: Palette, { group }: Row, width: number, y: number): void {
	const middle = y + LANE_HEIGHT / 2, number = group.isCounted ? "" : ` ${count(group.members.count)}`, begin = 25;
	pen.fillStyle = colours.ink;
	pen.beginPath();
	pen.moveTo(9, middle - (group.isOpen ? 3 : 5));
	pen.lineTo(group.isOpen ? 19 : 17, group.isOpen ? middle - 3 : middle);
	pen.lineTo(group.isOpen ? 14 : 9, middle + (group.isOpen ? 4 : 5));
	pen.fill();
	const room = pen.measureText(number).width;
	pen.font = "600 12px system-ui, sans-serif";
	const title = fitted(pen, group.title, width - begin - room - 4), end = begin + pen.measureText(title).width + 3;
	pen.fillText(title, begin, middle);
	pen.font = "12px system-ui, sans-serif";
	pen.fillStyle = colours.quiet;
	pen.fillText(number, end, middle);
}

/** The name, and behind it as much of the hint as has room: a cut number would be read as another one. */
function drawName(pen: Pen, { colours, lanes }: Scene, lane: Lane, y: number, room: number): void {
	const middle = y + LANE_HEIGHT / 2, end = 8 + room, name = fitted(pen, `${lanes.isPinned(lane.key) ? "◆ " : ""}${lane.name}`, end - 14);
	pen.fillStyle = colours.ink;
	pen.fillText(name, 14, middle);
	const begin = 14 + pen.measureText(`${name}  `).width;
	pen.fillStyle = colours.quiet;
	if (end - begin > HINT_LEAST)
		pen.fillText(fitted(pen, lane.hint, end - begin), begin, middle);
}

/** The states whose bars have words in the ground's colour. */
const SOLID = new Set(["running", "syscall"]);

/** Returns the number of states for which a bar stands, the call that holds the thread, or the coroutine that a worker runs. */
function wordsIn(slice: Slice): string {
	if (slice.nrStates > 1)
		return many(slice.nrStates, "state");
	if (slice.call)
		return `in ${slice.call}`;
	return slice.lane.startsWith("t") && slice.coroutine ? String(slice.coroutine) : "";
}

function objectWords(slice: Slice, width: number): string {
	return !slice.coroutine || width > HELD_WIDTH ? sayObject(slice) : String(slice.coroutine);
}

/** Draws an object's bar, with the holder and the number of waiters in words. */
function drawObject(pen: Pen, { colours }: Scene, slice: Slice, x: number, y: number, width: number): void {
	const top = y + (LANE_HEIGHT - BAR_HEIGHT) / 2;
	if (slice.coroutine)
		drawHeld(pen, colours, x, top, width, BAR_HEIGHT, slice.nrWaiting > 0);
	else
		drawState(pen, colours, slice.state, x, top, width, BAR_HEIGHT, slice.resource);
	if (width > WORDS_WIDTH)
		drawWaitWords(pen, colours, slice.coroutine ? heldMark(colours) : waitMark(colours, slice.resource), objectWords(slice, width), x, y + LANE_HEIGHT / 2, width);
}

function drawSlice(pen: Pen, scene: Scene, slice: Slice, y: number): void {
	const { colours, names, selected } = scene, x = Math.max(xOf(scene, slice.from), names), end = Math.min(xOf(scene, slice.until), scene.width);
	if (end < names || x > scene.width)
		return;
	if (slice.lane.startsWith("o"))
		drawObject(pen, scene, slice, x, y, end - x);
	else
		drawState(pen, colours, slice.state, x, y + (LANE_HEIGHT - BAR_HEIGHT) / 2, end - x, BAR_HEIGHT, slice.resource);
	if (!slice.lane.startsWith("o") && STATES[slice.state] === "waiting" && slice.nrStates === 1 && end - x > WORDS_WIDTH)
		drawWaitWords(pen, colours, waitMark(colours, slice.resource), scene.words.get(barOf(slice)) ?? "", x, y + LANE_HEIGHT / 2, end - x);
	if (selected?.lane === slice.lane && selected.slice.from === slice.from) {
		pen.strokeStyle = colours.accent;
		pen.lineWidth = 2;
		pen.strokeRect(x - 1, y + 2, Math.max(3, end - x + 2), LANE_HEIGHT - 4);
	}
	if (end - x <= 60 || !SOLID.has(STATES[slice.state] ?? "") || slice.lane.startsWith("o"))
		return;
	pen.fillStyle = colours.ground;
	pen.fillText(wordsIn(slice), x + 5, y + LANE_HEIGHT / 2 + 1, end - x - 10);
}

/** Draws where a descriptor was closed: a cross, and dashes from there to the end. */
function drawClosed(pen: Pen, scene: Scene, lane: Lane, y: number): void {
	const x = xOf(scene, lane.ended), bottom = y + LANE_HEIGHT - 4;
	if (!(x < scene.width))
		return;
	pen.strokeStyle = pen.fillStyle = scene.colours.alarm;
	pen.lineWidth = 2;
	pen.setLineDash([8, 5]);
	line(pen, Math.max(x, scene.names), bottom, scene.width, bottom);
	pen.setLineDash([]);
	if (x < scene.names)
		return;
	line(pen, x - 6, y + LANE_HEIGHT / 2 - 6, x + 6, y + LANE_HEIGHT / 2 + 6);
	line(pen, x - 6, y + LANE_HEIGHT / 2 + 6, x + 6, y + LANE_HEIGHT / 2 - 6);
	drawClosedWords(pen, scene, lane, x, y);
}

/** Left of the cross, or right of it where the words of the bar that ends there would be covered, on a background of their own. */
function drawClosedWords(pen: Pen, scene: Scene, lane: Lane, x: number, y: number): void {
	const before = (scene.slices.get(lane.key) ?? []).filter(({ from }) => from < lane.ended).pop();
	const said = before ? waitWordsEnd(pen, sayObject(before), Math.max(xOf(scene, before.from), scene.names)) : scene.names;
	const words = "closed", wide = pen.measureText(words).width, begin = x - 12 - wide > said ? x - 10 - wide : x + 10;
	pen.fillStyle = scene.colours.ground;
	pen.fillRect(begin - 2, y + LANE_HEIGHT / 2 - 8, wide + 4, 14);
	pen.fillStyle = scene.colours.alarm;
	pen.fillText(words, begin, y + LANE_HEIGHT / 2);
}

/** Draws a destroyed coroutine: a thin hatched line to the end. */
function drawEnded(pen: Pen, scene: Scene, lane: Lane, y: number): void {
	const x = Math.max(xOf(scene, lane.ended), scene.names);
	if (!(x < scene.width))
		return;
	if (lane.object) {
		drawClosed(pen, scene, lane, y);
		return;
	}
	pen.strokeStyle = scene.colours.state[STATES.indexOf("destroyed")]!;
	pen.lineWidth = 5;
	pen.setLineDash([1.5, 4.5]);
	line(pen, x, y + LANE_HEIGHT / 2, scene.width, y + LANE_HEIGHT / 2);
	pen.setLineDash([]);
}

/** If a lane has nothing in this range, says at the edge where the lane begins or ended. */
function drawElsewhere(pen: Pen, { colours, names, range, width }: Scene, { begun, ended, object }: Lane, y: number): void {
	pen.fillStyle = colours.quiet;
	if (begun >= range.until) {
		pen.textAlign = "right";
		pen.fillText(`begins at ${moment(begun, (range.until - range.from) / 100)} \u25b8`, width - 6, y + LANE_HEIGHT / 2);
		pen.textAlign = "left";
	} else if (ended <= range.from) {
		pen.fillText(`\u25c2 ${object ? "closed" : "ended"} at ${moment(ended, (range.until - range.from) / 100)}`, names + 6, y + LANE_HEIGHT / 2);
	}
}

/** Says at the right edge for how long a member's wait lasts, if the wait goes on behind the edge and there is room. */
function drawLasting(pen: Pen, scene: Scene, { key, lasts }: Lane, y: number): void {
	const { range, width, colours } = scene, middle = y + LANE_HEIGHT / 2;
	if (!lasts || lasts.until <= range.until || lasts.from >= range.until)
		return;
	const words = `\u2192 ${duration(lasts.until - lasts.from)}${lasts.hadNoWake ? ", no wake" : ""}`, wide = pen.measureText(words).width + 10;
	const said = waitWordsEnd(pen, scene.words.get(barOf({ lane: key, from: lasts.from })) ?? "", Math.max(xOf(scene, lasts.from), scene.names));
	if (width - wide - 4 < said)
		return;
	pen.fillStyle = colours.ground;
	pen.fillRect(width - wide - 2, middle - 8, wide + 2, 16);
	pen.fillStyle = colours.ink;
	pen.fillText(words, width - wide + 3, middle);
}

// ---------------------------------------------------------------- above the lanes

/** Returns the places of flags: side by side if they would cover each other. */
export function placesOf(scene: Pick<Scene, "range" | "width" | "names" | "flags">): { x: number; middle: number; flag: Flag }[] {
	let free = scene.names + FLAG_RADIUS, last = scene.width - FLAG_RADIUS - 3;
	const placed = scene.flags.flatMap((flag) => {
		const x = xOf(scene, flag.time), middle = Math.max(x, free);
		if (!(x >= scene.names && x <= scene.width))
			return [];
		free = middle + 2 * FLAG_RADIUS + 1;
		return [{ x, middle, flag }];
	});
	/* No flag is cut by the right edge: flags there move to the left. */
	for (const one of placed.reverse()) {
		one.middle = Math.min(one.middle, last);
		last = one.middle - 2 * FLAG_RADIUS - 1;
	}
	return placed.reverse();
}

function drawFlags(pen: Pen, scene: Scene): void {
	const { colours } = scene;
	for (const { x, middle, flag } of placesOf(scene)) {
		/* A step at the end of the range has its whole line within the picture. */
		const isChosen = flag.number === scene.step, at = Math.min(x, scene.width - 1.5);
		pen.strokeStyle = pen.fillStyle = colours.alarm;
		pen.lineWidth = isChosen ? 2 : 1;
		pen.setLineDash(isChosen ? [] : [4, 3]);
		line(pen, at, AXIS_HEIGHT - 4, at, scene.height);
		pen.setLineDash([]);
		pen.beginPath();
		pen.arc(middle, AXIS_HEIGHT - 10, isChosen ? FLAG_RADIUS + 2 : FLAG_RADIUS, 0, 7);
		pen.fill();
		pen.fillStyle = colours.ground;
		pen.textAlign = "center";
		pen.fillText(String(flag.number), middle, AXIS_HEIGHT - 9);
		pen.textAlign = "left";
	}
}

function drawEvent(pen: Pen, scene: Scene): void {
	const x = scene.event ? xOf(scene, scene.event.time) : NaN;
	if (!scene.event || !(x >= scene.names && x <= scene.width))
		return;
	pen.strokeStyle = pen.fillStyle = scene.colours.accent;
	pen.lineWidth = 1.5;
	line(pen, x, AXIS_HEIGHT - 16, x, scene.height);
	const wide = pen.measureText(scene.event.words).width + 10, left = Math.min(x, scene.width - wide);
	pen.fillRect(left, 18, wide, 16);
	pen.fillStyle = scene.colours.ground;
	pen.fillText(scene.event.words, left + 5, 26);
}

// ---------------------------------------------------------------- causes

function drawArrows(pen: Pen, scene: Scene): void {
	pen.save();
	pen.beginPath();
	pen.rect(scene.names, AXIS_HEIGHT, scene.width - scene.names, scene.height - AXIS_HEIGHT);
	pen.clip();
	for (const arrow of scene.arrows)
		drawArrow(pen, scene, arrow);
	pen.restore();
}

/** If one end of the arrow is not on the screen, a stub is drawn that names the lane. */
function drawArrow(pen: Pen, scene: Scene, arrow: Arrow): void {
	const to = scene.lanes.indexOf(arrow.to), x = xOf(scene, arrow.at);
	const from = arrow.from.map((key) => scene.lanes.indexOf(key)).find((index) => index >= 0) ?? -1;
	if (x < scene.names || x > scene.width || (from < 0 && to < 0))
		return;
	const middle = (index: number): number => AXIS_HEIGHT + (index - scene.top) * LANE_HEIGHT + LANE_HEIGHT / 2;
	const end = to < 0 ? middle(from) + LANE_HEIGHT * 1.5 : middle(to), begin = from < 0 ? end - LANE_HEIGHT * 1.5 : middle(from);
	const down = end >= begin ? 1 : -1;
	pen.strokeStyle = pen.fillStyle = scene.colours.ink;
	pen.lineWidth = arrow.depth > 1 ? 1 : 1.8;
	pen.setLineDash(arrow.isWish ? [3, 3] : []);
	line(pen, x, begin, x, end - 9 * down);
	pen.setLineDash([]);
	pen.beginPath();
	pen.moveTo(x, end - 4 * down);
	pen.lineTo(x - 5, end - 12 * down);
	pen.lineTo(x + 5, end - 12 * down);
	pen.fill();
	if (from < 0 || to < 0)
		pen.fillText(from < 0 ? arrow.fromWords : arrow.toWords, x + 7, from < 0 ? begin + 6 * down : end - 8 * down);
}

// ---------------------------------------------------------------- what the reader draws

function drawArea(pen: Pen, scene: Scene, { from, until, rows }: NonNullable<Scene["area"]>): void {
	const x = Math.max(xOf(scene, from), scene.names), end = Math.min(xOf(scene, until), scene.width), [first, last] = rows ?? [scene.top, Infinity];
	const y = Math.max(AXIS_HEIGHT, AXIS_HEIGHT + (first - scene.top) * LANE_HEIGHT), bottom = Math.min(scene.height, AXIS_HEIGHT + (last + 1 - scene.top) * LANE_HEIGHT);
	if (end < scene.names || x > scene.width || bottom <= y)
		return;
	pen.fillStyle = pen.strokeStyle = scene.colours.accent;
	pen.globalAlpha = 0.12;
	pen.fillRect(x, y, end - x, bottom - y);
	pen.globalAlpha = 1;
	pen.lineWidth = 1.5;
	pen.strokeRect(x, y + 1, end - x, bottom - y - 2);
}

function drawHands(pen: Pen, scene: Scene): void {
	const { colours, brush, drop, area } = scene;
	if (area)
		drawArea(pen, scene, area);
	if (brush) {
		pen.globalAlpha = 0.18;
		pen.fillStyle = colours.accent;
		pen.fillRect(xOf(scene, brush.from), 0, xOf(scene, brush.until) - xOf(scene, brush.from), scene.height);
		pen.globalAlpha = 1;
	}
	if (drop !== null) {
		pen.fillStyle = colours.accent;
		pen.fillRect(0, AXIS_HEIGHT + (drop - scene.top) * LANE_HEIGHT - 1, scene.names, 3);
	}
}
