// SPDX-License-Identifier: MIT
//
// Words at the pointer about what is under it: the state at once, and what the state waited for and what ended it as
// soon as they are known.

import { fill, h } from "./dom";
import type { Lane } from "./lanes";
import { askState, tellCause, type Told } from "./panels";
import type { Slice } from "./slices";

/** A pointer that moves on sooner sends no request. */
const ASK_AFTER_MS = 120;
const AWAY = 14;

export class Tip {
	readonly element = h("div", { class: "tip", role: "tooltip", hidden: true });
	private timer = 0;
	private words = "";

	/** `told` is called when the cause of a state is known, `left` when the pointer is over something else. */
	constructor(private readonly told: (lane: Lane, slice: Slice, told: Told) => void, private readonly left: () => void) {}

	/** `words` is empty: nothing is under the pointer. */
	show(words: string, lane: Lane | null, slice: Slice | null, x: number, y: number): void {
		if (!words) {
			this.hide();
			return;
		}
		if (words !== this.words) {
			this.hide();
			this.words = words;
			fill(this.element, h("p", null, words));
			if (lane?.coroutine && slice?.nrStates === 1)
				this.timer = window.setTimeout(() => void this.tell(words, lane, slice, x, y).catch(() => undefined), ASK_AFTER_MS);
		}
		this.element.hidden = false;
		this.place(x, y);
	}

	hide(): void {
		clearTimeout(this.timer);
		this.words = "";
		this.element.hidden = true;
		this.left();
	}

	private async tell(words: string, lane: Lane, slice: Slice, x: number, y: number): Promise<void> {
		const told = await askState(lane, slice);
		if (!told || this.words !== words)
			return;
		this.told(lane, slice, told);
		const cause = tellCause(lane.process, told);
		if (cause.textContent)
			this.element.append(cause);
		this.place(x, y);
	}

	/** Places the words beside the pointer, within the picture. */
	private place(x: number, y: number): void {
		const { offsetWidth: width, offsetHeight: height, offsetParent: frame } = this.element;
		const right = (frame?.clientWidth ?? 0) - width - 4, isBelow = y + AWAY + height < (frame?.clientHeight ?? 0);
		this.element.style.left = `${Math.max(0, Math.min(x + AWAY, right))}px`;
		this.element.style.top = `${isBelow ? y + AWAY : Math.max(0, y - AWAY - height)}px`;
	}
}
