// SPDX-License-Identifier: MIT
//
// Who waits for whom at a moment: the awaited resource and its holder at the left, the waiters to the right. The engine
// decides what is a node, and where it lies. Beside the picture each node is a row of a table.

import { addressOf, note, viewInUse } from "./address";
import { askJson, traceFileInCommands } from "./carrier";
import { copyButton, fill, h, type Child } from "./dom";
import { shape } from "./plot";
import { duration, many, moment, shortAddress } from "./say";
import { brief, briefPlaceLink, coroutineLink, placeOf, threadName, type Trace } from "./trace";

export interface WaitNode {
	kind: "coroutine" | "object" | "thread";
	count: number;
	process: number;
	id: number;
	type: string;
	words?: string;
	name: string;
	state: string;
	site: number | null;
	since_ns: number | null;
	to: number | null;
	circle: number;
	layer: number;
	row: number;
}

interface Waits {
	at_ns: number;
	nr_waiting: number;
	nr_left_out: number;
	nr_circles: number;
	nr_rows: number;
	nodes: WaitNode[];
}

/** Boxes are as wide as the page has room for, within these bounds; narrow ones have short words, and stand closer. */
const WIDTH_LEAST = 168;
const WIDTH_WITH_ALL = 260;
const WIDTH_MOST = 560;
/** Between boxes, for arrows. */
const BETWEEN = 50;
const BETWEEN_NARROW = 34;
const ROW = 74;
const HEIGHT = 58;
/** Of the frame around the boxes, at both sides. */
const PADDING = 30;
/** The height above the first row, for the way back of a circle. */
const ABOVE = 26;
const FOLDS = [4, 16, 64, 400];

// ---------------------------------------------------------------- words

function addressOfNode(node: WaitNode): string {
	if (node.kind === "coroutine")
		return node.count === 1 ? addressOf("coroutine", { process: node.process, id: node.id })
			: addressOf("coroutines", { state: node.state, site: node.site ?? undefined });
	if (node.kind === "thread")
		return addressOf("timeline", { lanes: "workers", lane: `t${node.id}` });
	return addressOf("objects", { text: node.count === 1 ? node.words : node.type });
}

function nameOf(node: WaitNode): string {
	if (node.kind === "coroutine")
		return node.count === 1 ? `coroutine ${node.id}` : many(node.count, "coroutine");
	if (node.kind === "thread")
		return threadName(node.id);
	return node.count === 1 ? node.name || node.words || "" : many(node.count, node.type, pluralOf(node.type));
}

/** Returns the plural of a kind of resource (resources.def). */
function pluralOf(type: string): string {
	return type.endsWith("s") ? `${type}es` : `${type}s`;
}

function hintOf(node: WaitNode): string {
	if (node.kind === "coroutine")
		return brief(placeOf(node.site)) || node.name;
	return node.kind === "object" && node.count === 1 && node.name ? node.words ?? "" : "";
}

function linkOf(node: WaitNode, properties: Record<string, string> = {}): HTMLAnchorElement {
	return node.kind === "coroutine" && node.count === 1 && !properties["class"] ? coroutineLink(node.process, node.id)
		: h("a", { href: addressOfNode(node), ...properties }, nameOf(node));
}

function sinceOf(node: WaitNode, at: number): string {
	if (node.kind !== "coroutine")
		return node.kind === "thread" ? "a thread has it" : "";
	return node.since_ns === null ? node.state : `${node.state} for ${duration(at - node.since_ns)}`;
}

// ---------------------------------------------------------------- the picture

/** The width of boxes, and from the left side of one to that of the next. */
interface Size {
	width: number;
	step: number;
}

function sizeFor(layers: number, room: number): Size {
	const each = Math.floor(room / layers), isNarrow = each - BETWEEN < WIDTH_WITH_ALL, between = isNarrow ? BETWEEN_NARROW : BETWEEN;
	const width = Math.max(WIDTH_LEAST, Math.min(WIDTH_MOST, each - between));
	return { width, step: width + between };
}

/** From the left side of the waiting node to the right side of the awaited node, with the arrow's head there. */
function edge(from: WaitNode, to: WaitNode, { width, step }: Size): SVGElement {
	const y = (node: WaitNode): number => ABOVE + node.row * ROW + HEIGHT / 2, x = (node: WaitNode): number => node.layer * step;
	const inCircle = from.circle !== 0 && from.circle === to.circle, group = shape("g", { class: inCircle ? "edge circle" : "edge" });
	if (to.layer < from.layer) {
		const begin = x(from), end = x(to) + width + 9, bend = end + 14;
		group.append(shape("path", { d: `M${begin} ${y(from)}H${bend}V${y(to)}H${end}` }),
			shape("path", { class: "head", d: `M${end - 9} ${y(to)}l10 -5v10z` }));
		return group;
	}
	/* The way back of a circle passes above its row. */
	const top = ABOVE + from.row * ROW - 14, begin = x(from) + width / 2 - (from === to ? 40 : 0), end = x(to) + width / 2 + (from === to ? 40 : 0);
	group.append(shape("path", { d: `M${begin} ${top + 14}V${top}H${end}V${top + 6}` }),
		shape("path", { class: "head", d: `M${end} ${top + 14}l-5 -10h10z` }));
	return group;
}

function box(node: WaitNode, at: number, { width, step }: Size): HTMLElement {
	const isNarrow = width < WIDTH_WITH_ALL, name = nameOf(node);
	const link = h("a", { href: addressOfNode(node), class: `node ${node.kind}${node.circle ? " circle" : ""}${isNarrow ? " narrow" : ""}`, title: placeOf(node.site) },
		h("strong", null, node.circle ? h("span", { class: "mark", title: `circle ${node.circle}` }, isNarrow ? `\u21bb ${node.circle}` : `circle ${node.circle}`) : null, isNarrow ? shortAddress(name) : name),
		h("span", null, node.kind === "coroutine" ? h("i", { class: `bar ${node.state}`, "aria-hidden": "true" }) : null, sinceOf(node, at)),
		h("span", { class: "hint" }, hintOf(node)));
	link.style.left = `${node.layer * step}px`;
	link.style.width = `${width}px`;
	link.style.top = `${ABOVE + node.row * ROW}px`;
	return link;
}

function picture(waits: Waits, room: number): HTMLElement {
	const layers = Math.max(0, ...waits.nodes.map((node) => node.layer)) + 1;
	const size = sizeFor(layers, room), width = (layers - 1) * size.step + size.width, height = ABOVE + waits.nr_rows * ROW;
	const drawn = shape("svg", { width, height, "aria-hidden": "true" });
	for (const node of waits.nodes)
		if (node.to !== null)
			drawn.append(edge(node, waits.nodes[node.to]!, size));
	const inner = h("div", { class: "graph" }, drawn, waits.nodes.map((node) => box(node, waits.at_ns, size)));
	inner.style.width = `${width}px`;
	inner.style.height = `${height}px`;
	return h("div", { class: "scroll waits-picture", tabindex: 0, role: "group", "aria-label": "Who waits for whom" }, inner);
}

// ---------------------------------------------------------------- the table

function rowOf(node: WaitNode, waits: Waits): HTMLTableRowElement {
	const to = node.to === null ? null : waits.nodes[node.to]!;
	const cells: Child[] = [linkOf(node), node.kind === "coroutine" ? sinceOf(node, waits.at_ns) : node.kind,
		node.site ? briefPlaceLink(node.site) : "", to ? [node.kind === "coroutine" ? "waits for " : "held by ", linkOf(to)] : "",
		...waits.nr_circles ? [node.circle ? `circle ${node.circle}` : ""] : []];
	return h("tr", null, cells.map((cell) => h("td", null, cell)));
}

function table(waits: Waits): HTMLElement {
	const heads = ["what", "state", "place", "waits for, or held by", ...waits.nr_circles ? ["circle"] : []], body = h("tbody", null, waits.nodes.map((node) => rowOf(node, waits)));
	const text = (): string => [heads, ...[...body.rows].map((row) => [...row.cells].map((cell) => cell.textContent ?? ""))].map((row) => row.join("\t")).join("\n");
	return h("div", null, h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Who waits for whom, as a table" },
		h("table", { id: "waits-table" }, h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))), body)),
	h("p", { class: "actions" }, copyButton("Copy as TSV", text)));
}

/** `until`: the end of the observation; the engine looks at the last moment before. */
function tell(waits: Waits, until: number): Child {
	const parts = [`${waits.at_ns >= until - 1 ? "At the end" : `At ${moment(waits.at_ns)}`}, ${many(waits.nr_waiting, "coroutine")} ${waits.nr_waiting === 1 ? "waits" : "wait"}`];
	if (waits.nr_circles)
		parts.push(`${many(waits.nr_circles, "circle")}: nothing in it can go on by itself`);
	if (waits.nr_left_out)
		parts.push(`${many(waits.nr_left_out, "coroutine")} had no room here; the table of coroutines has all`);
	return h("p", { role: "status", id: "waits-told", class: waits.nr_circles ? "alarmed" : "" }, `${parts.join(". ")}.`);
}

// ---------------------------------------------------------------- the screen

/** The moment as a slider, which sends a request when it no longer moves. */
function slider(trace: Trace, at: number, changed: (at: number) => void): HTMLElement {
	const said = h("output", { for: "moment" }, moment(at));
	let timer = 0;
	const input = h("input", { id: "moment", type: "range", min: 0, max: 1000, value: Math.round((at - trace.from) / (trace.until - trace.from) * 1000), input: () => {
		const value = Math.round(trace.from + Number(input.value) / 1000 * (trace.until - trace.from));
		said.textContent = moment(value);
		clearTimeout(timer);
		timer = window.setTimeout(() => changed(value), 120);
	} });
	return h("label", null, "at ", input, " ", said);
}

export function showWaits(into: HTMLElement, trace: Trace): void {
	const given = viewInUse().arguments, found = h("div", null), command = h("code", null);
	let at = Number(given.get("at") ?? given.get("until") ?? trace.until), fold = Number(given.get("fold") ?? FOLDS[0]), asked = 0;
	const ask = async (): Promise<void> => {
		const number = ++asked;
		command.textContent = `corotracer query ${traceFileInCommands()} "SELECT object, place, holder, count(*) FROM waits WHERE from_ns <= ${at} AND (until_ns > ${at} OR is_open) GROUP BY object, place"`;
		try {
			const waits = await askJson<Waits>("waits", { at, fold });
			if (number === asked)
				fill(found, tell(waits, trace.until), waits.nodes.length ? [picture(waits, found.clientWidth - PADDING), h("h3", null, "The same as a table"), table(waits)] : null);
		} catch (failure) {
			fill(found, h("p", { role: "alert" }, (failure as Error).message));
		}
	};
	const change = (changes: { at?: number; fold?: number }): void => {
		at = changes.at ?? at;
		fold = changes.fold ?? fold;
		note({ at, fold: fold === FOLDS[0] ? undefined : fold });
		void ask();
	};
	fill(into, h("h2", null, "Who waits for whom"), h("p", { class: "quiet" }, "What coroutines wait for, and its holder, are at the left; an arrow leads there from each waiting coroutine. Coroutines with equal waits are one box."),
		h("div", { class: "toolbar" }, slider(trace, at, (value) => change({ at: value })),
			h("label", null, "one box for more than ", h("select", { id: "fold", change: (event: Event) => change({ fold: Number((event.target as HTMLSelectElement).value) }) },
				FOLDS.map((one) => h("option", { value: one, selected: one === fold }, String(one)))), " alike"),
			h("a", { class: "button small", href: addressOf("objects") }, "All that was waited for")), found,
		h("p", { class: "quiet" }, "In a terminal: ", command));
	void ask();
}
