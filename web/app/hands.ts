// SPDX-License-Identifier: MIT
//
// The pointer's actions on the timeline: clicks, drags of the picture, of its axis and of lane names, the wheel.

import type { Range } from "./range";
import { AXIS_HEIGHT } from "./scene";

/** A pointer that moves less than this many pixels makes a click. */
const STILL = 4;
/** Turns of the wheel that follow each other within this time are one step of the history. */
const GESTURE_MS = 600;

export interface Handled {
	/** The width of the lanes' names on the canvas, in pixels. */
	names(): number;
	range(): Range;
	timeAt(x: number): number;
	perPixel(): number;
	rowAt(y: number): number;
	click(x: number, y: number): void;
	/** The pointer is over the canvas, with no button pressed. */
	over(x: number, y: number): void;
	/** The pointer has left, or a button is pressed. */
	away(): void;
	/** A gesture begins: the present range is kept in the history. */
	keep(): void;
	slide(range: Range): void;
	zoom(factor: number, at: number): void;
	pan(share: number): void;
	scroll(rows: number): void;
	/** Called while a range is being drawn; `isDone`: the range is complete. */
	brush(range: Range | null, isDone: boolean): void;
	/** Called while an area is being drawn from one row to another; `isDone`: the area is complete. */
	area(range: Range, from: number, to: number, isDone: boolean): void;
	/** Called while the lane of a row is dragged to another row; `isDone`: the lane is dropped there. */
	drag(from: number, to: number | null, isDone: boolean): void;
}

type Kind = "move" | "brush" | "name" | "area";

interface Drag {
	kind: Kind;
	x: number;
	y: number;
	range: Range;
	hasMoved: boolean;
}

function rangeOf(one: number, other: number): Range {
	return { from: Math.min(one, other), until: Math.max(one, other) };
}

export function listenHands(canvas: HTMLCanvasElement, handled: Handled): void {
	let drag: Drag | null = null, turned = -Infinity;
	const begin = (event: PointerEvent): void => {
		const { offsetX: x, offsetY: y } = event, kind: Kind = y < AXIS_HEIGHT ? "brush" : x < handled.names() ? "name" : event.shiftKey ? "area" : "move";
		handled.away();
		drag = { kind, x, y, range: handled.range(), hasMoved: false };
		canvas.setPointerCapture(event.pointerId);
	};
	const carry = (one: Drag, event: PointerEvent): void => {
		if (!one.hasMoved && Math.hypot(event.offsetX - one.x, event.offsetY - one.y) < STILL)
			return;
		if (!one.hasMoved && one.kind === "move")
			handled.keep();
		one.hasMoved = true;
		const by = (one.x - event.offsetX) * handled.perPixel();
		if (one.kind === "move")
			handled.slide({ from: one.range.from + by, until: one.range.until + by });
		else if (one.kind === "brush")
			handled.brush(rangeOf(handled.timeAt(one.x), handled.timeAt(event.offsetX)), false);
		else if (one.kind === "area")
			handled.area(rangeOf(handled.timeAt(one.x), handled.timeAt(event.offsetX)), handled.rowAt(one.y), handled.rowAt(event.offsetY), false);
		else
			handled.drag(handled.rowAt(one.y), handled.rowAt(event.offsetY), false);
	};
	const end = (event: PointerEvent): void => {
		if (drag && !drag.hasMoved)
			handled.click(event.offsetX, event.offsetY);
		else if (drag?.kind === "brush")
			handled.brush(rangeOf(handled.timeAt(drag.x), handled.timeAt(event.offsetX)), true);
		else if (drag?.kind === "area")
			handled.area(rangeOf(handled.timeAt(drag.x), handled.timeAt(event.offsetX)), handled.rowAt(drag.y), handled.rowAt(event.offsetY), true);
		else if (drag?.kind === "name")
			handled.drag(handled.rowAt(drag.y), handled.rowAt(event.offsetY), true);
		drag = null;
	};
	canvas.addEventListener("pointerdown", begin);
	canvas.addEventListener("pointermove", (event) => drag ? carry(drag, event) : handled.over(event.offsetX, event.offsetY));
	canvas.addEventListener("pointerleave", () => handled.away());
	canvas.addEventListener("pointerup", end);
	canvas.addEventListener("pointercancel", () => {
		handled.brush(null, false);
		handled.drag(0, null, false);
		drag = null;
	});
	canvas.addEventListener("wheel", (event) => {
		const isZoom = event.ctrlKey || event.metaKey, isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
		event.preventDefault();
		if ((isZoom || isPan) && event.timeStamp - turned > GESTURE_MS)
			handled.keep();
		turned = event.timeStamp;
		if (isZoom)
			handled.zoom(Math.exp(event.deltaY / 300), handled.timeAt(event.offsetX));
		else if (isPan)
			handled.pan((event.deltaX || event.deltaY) / 800);
		else
			handled.scroll(Math.sign(event.deltaY) * 2);
	}, { passive: false });
}

/** Listens on the minimap: the position of the pointer becomes the middle of the range that is shown. */
export function listenMinimap(canvas: HTMLCanvasElement, handled: Pick<Handled, "keep">, centre: (share: number) => void): void {
	let isHeld = false;
	const go = (event: PointerEvent): void => centre(Math.max(0, Math.min(1, event.offsetX / canvas.clientWidth)));
	canvas.addEventListener("pointerdown", (event) => {
		isHeld = true;
		canvas.setPointerCapture(event.pointerId);
		handled.keep();
		go(event);
	});
	canvas.addEventListener("pointermove", (event) => {
		if (isHeld)
			go(event);
	});
	canvas.addEventListener("pointerup", () => { isHeld = false; });
	canvas.addEventListener("pointercancel", () => { isHeld = false; });
}
