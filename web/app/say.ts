// SPDX-License-Identifier: MIT
//
// Numbers in words: three significant digits and units that fit, as in reports.

/** Characters that a browser would obey, or not show: some of them reverse the text beside them. */
const TREACHEROUS = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Returns a text of the traced program without such characters: they are written as "\u{202e}", as in reports. */
export function visible(text: string): string {
	return text.replace(TREACHEROUS, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Cuts a long address in the middle, where addresses are alike: "lock 0x7f…6c70", as in pictures. */
export function shortAddress(words: string): string {
	return words.replace(/\b(0x[0-9a-f]{2})[0-9a-f]{3,}([0-9a-f]{4})\b/, "$1\u2026$2");
}

/** Isolates a name that is written from right to left, so that digits and signs beside it do not change direction. */
export function isolated(name: string): string {
	return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

/** Begins words that stand alone with a capital letter. */
export function capital(words: string): string {
	return words && `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

/** Makes a sentence of words that stand alone: capital letter and full stop. */
export function sentence(words: string): string {
	return words && `${capital(words)}${/[.!?]$/.test(words) ? "" : "."}`;
}

const UNITS: readonly [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
const DURATIONS: readonly [number, string][] = [[3.6e12, "h"], [6e10, "min"], ...UNITS.slice(0, -1)];

/** Returns the largest unit that is not larger than the time. */
export function unitOf(ns: number): readonly [number, string] {
	return UNITS.find(([size]) => ns >= size) ?? UNITS[UNITS.length - 1]!;
}

/** The bounds are those of the engine's text_duration, so that no number gets a fourth digit by rounding. */
function threeDigits(value: number): string {
	return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

/** Says a duration, as reports do: "135 us", "2.01 s", "3.33 min". */
export function duration(ns: number): string {
	if (Number.isNaN(ns))
		return "";
	if (ns < 0)
		return `-${duration(-ns)}`;
	const unit = DURATIONS.find(([size]) => ns >= size * 0.9995);
	return unit ? `${threeDigits(ns / unit[0])} ${unit[1]}` : `${ns} ns`;
}

/** Says a sum of times; "-" if there was none, as `top` does. */
export function spent(ns: number): string {
	return ns === 0 ? "-" : duration(ns);
}

/**
 * Says a moment, counted from the beginning of the recording, as reports do. With `resolution`, the moment is rounded
 * so that moments this far apart still differ.
 */
export function moment(ns: number, resolution?: number): string {
	if (Number.isNaN(ns))
		return "";
	if (resolution === undefined)
		return `${(Math.trunc(ns / 1e3) / 1e6).toFixed(6)} s`;
	const digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(Math.max(1, resolution)))));
	return `${(ns / 1e9).toFixed(digits)} s`;
}

/** Says the moment on the wall clock of the traced machine; "": not known. */
export function wallClock(ns: number, epochNs: string): string {
	const epoch = BigInt(epochNs || "0");
	if (epoch <= 0n || Number.isNaN(ns))
		return "";
	const all = epoch + BigInt(Math.round(ns));
	return new Date(Number(all / 1000000n)).toISOString().replace("T", " ").replace("Z", "") +
		String(all % 1000000n).padStart(6, "0").slice(0, 3) + " UTC";
}

const DIGITS = new Intl.NumberFormat("en-US");

export function count(value: number): string {
	return Number.isNaN(value) ? "" : DIGITS.format(value);
}

function scaleOf(value: number): readonly [number, string] | undefined {
	return ([[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const).find(([size]) => value >= size);
}

/** Says a round number of an axis: "2 k", "1.5 M". */
export function roundly(value: number): string {
	const unit = scaleOf(value);
	return unit ? `${Number((value / unit[0]).toPrecision(3))} ${unit[1]}` : count(value);
}

/** Says a number where there is little room: "13.1 M". */
export function roughly(value: number): string {
	const unit = scaleOf(value);
	return unit ? `${threeDigits(value / unit[0])} ${unit[1]}` : count(Math.round(value));
}

/** Says a number of things: "1 coroutine", "47 coroutines". */
export function many(value: number, one: string, several = `${one}s`): string {
	return `${count(value)} ${value === 1 ? one : several}`;
}

/** Says a share, as reports do. */
export function percent(part: number, whole: number): string {
	return whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : "";
}
