// SPDX-License-Identifier: MIT
//
// The range of time that is shown: shared by all screens, zoomed and moved, with its history.

import { duration, moment, unitOf } from "./say";

export interface Range {
	from: number;
	until: number;
}

const SHORTEST_NS = 50;

export class Ranges {
	private readonly past: Range[] = [];
	private present: Range;

	constructor(readonly all: Range, given?: Range) {
		this.present = given ? this.clamp(given) : { ...all };
	}

	get now(): Range {
		return this.present;
	}

	private clamp(range: Range): Range {
		const length = Math.min(Math.max(range.until - range.from, SHORTEST_NS), this.all.until - this.all.from);
		const from = Math.min(Math.max(range.from, this.all.from), this.all.until - length);
		return { from, until: from + length };
	}

	/** Keeps the present range in the history: one step back returns to it. */
	keep(): void {
		this.past.push(this.present);
		if (this.past.length > 100)
			this.past.shift();
	}

	/** Sets the range, and keeps the range before it in the history. */
	set(range: Range): void {
		this.keep();
		this.present = this.clamp(range);
	}

	/** Sets the range without a step of the history: while the pointer moves. */
	slide(range: Range): void {
		this.present = this.clamp(range);
	}

	back(): void {
		this.present = this.past.pop() ?? this.present;
	}

	zoomed(factor: number, centre: number): Range {
		return { from: centre - (centre - this.present.from) * factor, until: centre + (this.present.until - centre) * factor };
	}

	moved(share: number): Range {
		const by = (this.present.until - this.present.from) * share;
		return { from: this.present.from + by, until: this.present.until + by };
	}

	around(from: number, until: number): Range {
		const margin = Math.max((until - from) * 0.15, SHORTEST_NS / 2);
		return { from: from - margin, until: until + margin };
	}
}

/** Returns the part of the whole that an address chooses; null: all of it. */
export function chosenOf(all: Range, given: URLSearchParams): Range | null {
	const from = Math.max(all.from, Number(given.get("from") ?? all.from)), until = Math.min(all.until, Number(given.get("until") ?? all.until));
	return until > from && (from > all.from || until < all.until) ? { from, until } : null;
}

/** Says a range: "0.100 s to 0.300 s: 200 ms". */
export function sayRange({ from, until }: Range): string {
	const resolution = (until - from) / 100;
	return `${moment(from, resolution)} to ${moment(until, resolution)}: ${duration(until - from)}`;
}

/** A mark of an axis. */
export interface Tick {
	at: number;
	words: string;
}

/** Returns round numbers at a distance of 1, 2 or 5 times a power of ten: about `wanted` of them. */
export function roundSteps({ from, until }: Range, wanted: number): { step: number; at: number[] } {
	const rough = Math.max(until - from, Number.MIN_VALUE) / Math.max(1, wanted), power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power, first = Math.ceil(from / step);
	return { step, at: Array.from({ length: Math.max(0, Math.floor(until / step) - first + 1) }, (_, number) => (first + number) * step) };
}

/** Returns the marks of an axis of time, all in the unit that fits the end of the axis. */
export function ticksOf(range: Range, wanted: number): Tick[] {
	const { step, at } = roundSteps(range, wanted), [size, unit] = unitOf(range.until), digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
	return at.map((ns) => ({ at: ns, words: `${(ns / size).toFixed(digits)} ${unit}` }));
}
