// SPDX-License-Identifier: MIT
//
// Where time went, as a flame graph. A box is a place, as wide as the time of everything inside of it; the places that
// wait for it are below. The engine sends the stacks (`stacks`), each with its time.

import { carrierInUse, lineOf, traceFileInCommands } from "./carrier";
import { copyButton, fill, h } from "./dom";
import { shape } from "./plot";
import { duration } from "./say";

const PROFILES: readonly [string, string][] = [["wait", "waiting"], ["network", "waiting for descriptors"], ["sync", "waiting for locks, channels and their like"],
	["ready", "ready, and not running yet"], ["running", "running"], ["syscall", "in system calls"],
	["cpu", "on processors, by samples"], ["off-cpu", "running without a processor, by samples"]];
const WIDTH = 1200;
const ROW = 20;
const LETTER = 6.6;
const LEAST = 1; // narrower boxes are left out

interface Box {
	name: string;
	ns: number;
	inside: Map<string, Box>;
}

function boxesOf(text: string): Box {
	const all: Box = { name: "all", ns: 0, inside: new Map() };
	for (const line of text.split("\n").filter(Boolean)) {
		const blank = line.lastIndexOf(" "), ns = Number(line.slice(blank + 1));
		let box = all;
		all.ns += ns;
		for (const name of line.slice(0, blank).split(";")) {
			const next = box.inside.get(name) ?? { name, ns: 0, inside: new Map<string, Box>() };
			box.inside.set(name, next);
			next.ns += ns;
			box = next;
		}
	}
	return all;
}

function depthOf(box: Box): number {
	return 1 + Math.max(0, ...[...box.inside.values()].map(depthOf));
}

function put(drawn: SVGSVGElement, box: Box, all: Box, x: number, depth: number): void {
	const width = box.ns / all.ns * WIDTH;
	if (width < LEAST)
		return;
	const room = Math.floor((width - 6) / LETTER), one = shape("g", {});
	one.append(shape("rect", { x, y: depth * ROW, width: Math.max(LEAST, width - 1), height: ROW - 2, rx: 2 }),
		shape("title", {}, `${box.name}: ${duration(box.ns)}, ${(box.ns / all.ns * 100).toPrecision(3)} %`));
	if (room > 2)
		one.append(shape("text", { x: x + 4, y: depth * ROW + 13 }, box.name.length > room ? `${box.name.slice(0, room - 1)}…` : box.name));
	drawn.append(one);
	for (const inner of [...box.inside.values()].sort((a, b) => b.ns - a.ns)) {
		put(drawn, inner, all, x, depth + 1);
		x += inner.ns / all.ns * WIDTH;
	}
}

function draw(all: Box): SVGSVGElement {
	const height = depthOf(all) * ROW;
	const drawn = shape("svg", { viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height, class: "flame", role: "img", "aria-label": `Flame graph of ${duration(all.ns)}` });
	put(drawn, all, all, 0, 0);
	return drawn;
}

async function show(into: HTMLElement, profile: string): Promise<void> {
	const all = boxesOf(new TextDecoder().decode(await carrierInUse().ask(lineOf("stacks", { of: profile }))));
	if (!all.ns) {
		fill(into, h("p", { class: "quiet" }, "No time of this kind."));
		return;
	}
	const drawn = draw(all);
	fill(into, h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Flame graph" }, drawn),
		h("p", { class: "actions" }, copyButton("Copy as SVG", () => drawn.outerHTML)),
		h("p", null, "In a terminal: ", h("code", null, `corotracer profile --type ${profile} --format svg ${traceFileInCommands()}`)));
}

/** A part of a screen; the graph is requested when the part is opened. */
export function flame(): HTMLElement {
	const into = h("div", null), chosen = h("select", { id: "flame-of" }, PROFILES.map(([name, meaning]) => h("option", { value: name }, meaning)));
	const ask = (): void => void show(into, chosen.value).catch((failure: Error) => fill(into, h("p", { role: "alert" }, failure.message)));
	const whole = h("details", { id: "flame" }, h("summary", null, "Where time went, as a flame graph"),
		h("div", { class: "toolbar" }, h("label", null, "time ", chosen)), into);
	chosen.addEventListener("change", ask);
	whole.addEventListener("toggle", () => whole.open && !into.firstChild && ask());
	return whole;
}
