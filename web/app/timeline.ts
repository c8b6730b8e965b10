// SPDX-License-Identifier: MIT
//
// The timeline: what workers and coroutines were in, over time. A canvas draws what was answered last at once, and asks anew
// when the range stands still; an answer is never finer than the screen.

import { note, viewInUse } from "./address";
import { askRows } from "./carrier";
import { fill, h, sharpen } from "./dom";
import { askSlices, GROUPINGS, Lanes, type Grouping, type Lane, type Slice } from "./lanes";
import { drawMinimap, loadMinimap, type Minimap } from "./minimap";
import { Ranges, ticksOf, type Range } from "./range";
import { duration, many, moment } from "./say";
import { drawState, palette, STATES } from "./states";
import { coroutineLink, placeLink, threadName, type Trace } from "./trace";

const LANE_HEIGHT = 26;
const BAR_HEIGHT = 16;
const AXIS_HEIGHT = 40;
const ASK_AFTER_MS = 70;

interface Selection {
	lane: Lane;
	slice: Slice;
}

/** Who made the selected state end, and where; in the lane of a coroutine, or of a thread. */
interface Cause {
	at: number;
	lane: string;
}

export class Timeline {
	private readonly canvas = h("canvas", {
		tabindex: 0, role: "application", id: "timeline-canvas",
		"aria-label": "Timeline. W and S zoom, A and D move, arrow keys choose a lane and a state, question mark tells all keys.",
	});
	private readonly overview = h("canvas", { class: "minimap", role: "img", "aria-label": "The whole recording, with the range that is shown" });
	private readonly details = h("section", { class: "details", "aria-label": "Selection", "aria-live": "polite" });
	private readonly scale = h("p", { class: "quiet range", role: "status" });
	private readonly frame: HTMLElement;
	private readonly ranges: Ranges;
	private lanes: Lanes;
	private slices = new Map<string, Slice[]>();
	private answered: (Range & { resolution: number }) | null = null;
	private minimap: Minimap | null = null;
	private top = 0;
	private lane = 0;
	private selection: Selection | null = null;
	private cause: Cause | null = null;
	private finding = 0;
	private timer = 0;
	private isDrawing = false;
	/** Of this frame: to ask the style for each bar would take longer than to draw it. */
	private colours = palette();
	private readonly seen = new ResizeObserver(() => this.changed());

	constructor(into: HTMLElement, private readonly trace: Trace) {
		const given = viewInUse().arguments;
		this.ranges = new Ranges({ from: trace.from, until: trace.until }, this.rangeOf(given));
		this.finding = Number(given.get("finding") ?? 0) || 0;
		this.lanes = this.makeLanes((given.get("lanes") as Grouping) ?? "finding", given.get("lane"));
		this.frame = h("div", { class: "timeline", "aria-busy": "true" }, this.canvas);
		fill(into, this.toolbar(), this.overview, this.frame, this.scale, this.details);
		this.listen();
		this.seen.observe(this.frame);
		void loadMinimap(trace.from, trace.until).then((map) => { this.minimap = map; this.draw(); }).catch(() => undefined);
		this.tell();
		void this.restore(given);
	}

	close(): void {
		this.seen.disconnect();
		clearTimeout(this.timer);
	}

	/** "from" and "until", or what is around "at". */
	private rangeOf(given: URLSearchParams): Range | undefined {
		const from = given.get("from"), until = given.get("until"), at = given.get("at");
		if (from !== null && until !== null)
			return { from: Number(from), until: Number(until) };
		if (at === null)
			return this.firstRange();
		const half = Math.min(1e6, (this.trace.until - this.trace.from) / 20);
		return { from: Number(at) - half, until: Number(at) + half };
	}

	/** Where the gravest finding came about; else all. */
	private firstRange(): Range | undefined {
		const times = (this.trace.report.findings[0]?.steps ?? []).flatMap((step) => step.event === null || step.time_ns === null ? [] : [step.time_ns]);
		if (!times.length)
			return undefined;
		const from = Math.min(...times), until = Math.max(...times), margin = Math.max((until - from) * 0.4, 2e5);
		return { from: from - margin, until: until + margin };
	}

	private makeLanes(grouping: Grouping, extra: string | null): Lanes {
		return new Lanes(this.trace, grouping, this.finding, extra, () => this.changed());
	}

	private toolbar(): HTMLElement {
		const present = viewInUse().arguments.get("lanes") ?? "finding";
		const choice = h("select", { id: "grouping", change: (event: Event) => {
			const grouping = (event.target as HTMLSelectElement).value as Grouping;
			note({ lanes: grouping });
			this.top = this.lane = 0;
			this.lanes = this.makeLanes(grouping, null);
			this.changed();
		} }, GROUPINGS.map(([name, words]) => h("option", { value: name, selected: name === present }, words)));
		const button = (words: string, key: string): HTMLElement =>
			h("button", { class: "small", title: `key ${key}`, click: () => { this.key(key); this.canvas.focus(); } }, words);
		return h("div", { class: "toolbar" }, h("label", { for: "grouping" }, "Lanes: "), choice,
			button("zoom in", "w"), button("zoom out", "s"), button("all", "0"), button("back", "ctrl+z"),
			this.trace.report.findings.length ? [button("previous finding", "p"), button("next finding", "n")] : null,
			h("span", { class: "legend" }, ["running", "ready", "waiting", "unseen"].map((state) =>
				h("span", null, h("i", { class: `bar ${state}`, "aria-hidden": "true" }), state))));
	}

	// ---------------------------------------------------------------- what is shown

	/** As it was at the last frame: to ask the element for each bar would lay the page out anew. */
	private width = 0;

	private get names(): number {
		return Math.min(230, this.width * 0.3);
	}

	private rowsSeen(): number {
		return Math.max(1, Math.floor((this.frame.clientHeight - AXIS_HEIGHT) / LANE_HEIGHT));
	}

	private xOf(ns: number): number {
		const { from, until } = this.ranges.now;
		return this.names + (ns - from) / (until - from) * (this.width - this.names);
	}

	private timeAt(x: number): number {
		const { from, until } = this.ranges.now;
		return from + (x - this.names) / (this.width - this.names) * (until - from);
	}

	/** The view has changed: draw what there is, and ask soon. */
	private changed(): void {
		this.draw();
		clearTimeout(this.timer);
		this.timer = window.setTimeout(() => {
			note({ from: Math.round(this.ranges.now.from), until: Math.round(this.ranges.now.until), at: undefined });
			void this.ask();
		}, ASK_AFTER_MS);
	}

	private async ask(): Promise<void> {
		this.width = this.frame.clientWidth;
		const { from, until } = this.ranges.now, length = until - from, keys: string[] = [];
		for (let row = 0; row <= this.rowsSeen() && this.top + row < this.lanes.count; row++) {
			const lane = this.lanes.at(this.top + row);
			if (lane)
				keys.push(lane.key);
		}
		const wanted = {
			from: Math.max(this.trace.from, from - length / 2), until: Math.min(this.trace.until, until + length / 2),
			resolution: length / Math.max(1, this.width - this.names),
		};
		try {
			this.slices = await askSlices(keys, wanted.from, wanted.until, wanted.resolution);
			this.answered = wanted;
			this.frame.setAttribute("aria-busy", "false");
			this.draw();
		} catch (failure) {
			this.scale.textContent = (failure as Error).message;
		}
	}

	// ---------------------------------------------------------------- drawing

	private draw(): void {
		if (this.isDrawing)
			return;
		this.isDrawing = true;
		requestAnimationFrame(() => {
			this.isDrawing = false;
			this.width = this.frame.clientWidth;
			if (this.canvas.isConnected && this.width > 0)
				this.paint();
		});
	}

	private paint(): void {
		const width = this.width, height = this.frame.clientHeight, colours = this.colours = palette();
		const context = sharpen(this.canvas, width, height);
		context.font = "12px system-ui, sans-serif";
		context.textBaseline = "middle";
		this.paintAxis(context, height);
		for (let row = 0; row <= this.rowsSeen() && this.top + row < this.lanes.count; row++)
			this.paintLane(context, this.top + row, AXIS_HEIGHT + row * LANE_HEIGHT);
		this.paintFlags(context, height);
		this.paintCause(context);
		if (!this.answered) {
			context.fillStyle = colours.quiet;
			context.fillText("The events are being read ...", this.names + 20, AXIS_HEIGHT + LANE_HEIGHT / 2);
		}
		if (this.minimap)
			drawMinimap(this.overview, this.minimap, this.ranges.now, colours);
		const { from, until } = this.ranges.now, resolution = this.answered?.resolution ?? 0;
		this.scale.textContent = `${moment(from, (until - from) / 100)} to ${moment(until, (until - from) / 100)}: ${duration(until - from)}` +
			(resolution >= 1 ? `; states shorter than ${duration(Math.round(resolution))} are merged` : "") +
			`; ${many(this.lanes.count, "lane")}`;
	}

	private paintAxis(context: CanvasRenderingContext2D, height: number): void {
		const { colours } = this, { step, ticks } = ticksOf(this.ranges.now, (this.width - this.names) / 110);
		context.fillStyle = colours.quiet;
		context.strokeStyle = colours.line;
		context.lineWidth = 1;
		context.textAlign = "center";
		for (const at of ticks) {
			const x = Math.round(this.xOf(at)) + 0.5;
			if (x < this.names)
				continue;
			context.beginPath();
			context.moveTo(x, 22);
			context.lineTo(x, height);
			context.stroke();
			const words = moment(at, step), half = context.measureText(words).width / 2;
			context.fillText(words, Math.min(Math.max(x, this.names + half), this.width - half - 2), 11);
		}
		context.textAlign = "left";
	}

	private paintLane(context: CanvasRenderingContext2D, index: number, y: number): void {
		const { colours } = this, lane = this.lanes.at(index);
		if (index === this.lane) {
			context.fillStyle = colours.raised;
			context.fillRect(0, y, this.width, LANE_HEIGHT);
		}
		if (!lane)
			return;
		for (const slice of this.slices.get(lane.key) ?? [])
			this.paintSlice(context, slice, y);
		context.fillStyle = index === this.lane ? colours.raised : colours.ground;
		context.fillRect(0, y, this.names - 6, LANE_HEIGHT);
		context.fillStyle = colours.ink;
		context.save();
		context.beginPath();
		context.rect(8, y, this.names - 16, LANE_HEIGHT);
		context.clip();
		context.fillText(lane.name, 8, y + LANE_HEIGHT / 2);
		const begin = 8 + context.measureText(`${lane.name}  `).width;
		context.fillStyle = colours.quiet;
		context.fillText(lane.hint, begin, y + LANE_HEIGHT / 2);
		context.restore();
	}

	private paintSlice(context: CanvasRenderingContext2D, slice: Slice, y: number): void {
		const { colours } = this, x = Math.max(this.xOf(slice.from), this.names), end = Math.min(this.xOf(slice.until), this.width);
		if (end < this.names || x > this.width)
			return;
		drawState(context, colours, slice.state, x, y + (LANE_HEIGHT - BAR_HEIGHT) / 2, end - x, BAR_HEIGHT);
		const isSelected = this.selection?.lane.key === slice.lane && this.selection.slice.from === slice.from;
		if (isSelected) {
			context.strokeStyle = colours.accent;
			context.lineWidth = 2;
			context.strokeRect(x - 1, y + 2, Math.max(3, end - x + 2), LANE_HEIGHT - 4);
		}
		if (end - x <= 60 || STATES[slice.state] !== "running")
			return;
		const words = slice.nrStates > 1 ? many(slice.nrStates, "state") : slice.lane.startsWith("t") && slice.coroutine
			? String(slice.coroutine) : "";
		context.fillStyle = colours.ground;
		context.fillText(words, x + 5, y + LANE_HEIGHT / 2 + 1, end - x - 10);
	}

	/** Steps of the chosen finding, where they are in time. */
	private paintFlags(context: CanvasRenderingContext2D, height: number): void {
		const { colours } = this;
		let free = 0;
		(this.trace.report.findings[this.finding]?.steps ?? []).forEach((step, index) => {
			const x = step.time_ns === null ? -1 : this.xOf(step.time_ns);
			if (x < this.names || x > this.width)
				return;
			context.strokeStyle = context.fillStyle = colours.alarm;
			context.lineWidth = 1;
			context.setLineDash([4, 3]);
			context.beginPath();
			context.moveTo(x, AXIS_HEIGHT - 4);
			context.lineTo(x, height);
			context.stroke();
			context.setLineDash([]);
			context.beginPath();
			const middle = Math.max(x, free);
			free = middle + 17;
			context.arc(middle, AXIS_HEIGHT - 10, 8, 0, 7);
			context.fill();
			context.fillStyle = colours.ground;
			context.textAlign = "center";
			context.fillText(String(index + 1), middle, AXIS_HEIGHT - 9);
			context.textAlign = "left";
		});
	}

	private paintCause(context: CanvasRenderingContext2D): void {
		if (!this.cause || !this.selection)
			return;
		const from = this.lanes.indexOf(this.cause.lane), to = this.lanes.indexOf(this.selection.lane.key), x = this.xOf(this.cause.at);
		if (from < 0 || to < 0 || x < this.names || x > this.width)
			return;
		const middle = (index: number): number => AXIS_HEIGHT + (index - this.top) * LANE_HEIGHT + LANE_HEIGHT / 2;
		const end = middle(to), down = end > middle(from) ? 1 : -1;
		context.strokeStyle = context.fillStyle = this.colours.ink;
		context.lineWidth = 1.8;
		context.beginPath();
		context.moveTo(x, middle(from));
		context.lineTo(x, end - 9 * down);
		context.stroke();
		context.beginPath();
		context.moveTo(x, end - 4 * down);
		context.lineTo(x - 5, end - 12 * down);
		context.lineTo(x + 5, end - 12 * down);
		context.fill();
	}

	// ---------------------------------------------------------------- selection

	private sliceAt(lane: Lane, ns: number): Slice | null {
		const reach = (this.ranges.now.until - this.ranges.now.from) / (this.width - this.names) * 3;
		let best: Slice | null = null;
		for (const slice of this.slices.get(lane.key) ?? []) {
			const away = Math.max(slice.from - ns, ns - slice.until, 0);
			if (away <= reach && (!best || away < Math.max(best.from - ns, ns - best.until, 0)))
				best = slice;
		}
		return best;
	}

	private select(lane: Lane | null, slice: Slice | null): void {
		this.selection = lane && slice ? { lane, slice } : null;
		this.cause = null;
		note({ lane: lane?.key, selected: slice ? Math.round(slice.from) : undefined });
		this.tell();
		this.draw();
	}

	/** What the address says was selected. */
	private async restore(given: URLSearchParams): Promise<void> {
		const key = given.get("lane"), at = Number(given.get("selected") ?? given.get("at") ?? NaN);
		await this.ask();
		const index = key ? this.lanes.indexOf(key) : -1, lane = index < 0 ? null : this.lanes.at(index);
		if (!lane)
			return;
		this.lane = index;
		this.show(index);
		await this.ask();
		const slice = this.sliceAt(lane, at);
		if (slice)
			this.select(lane, slice);
	}

	private show(index: number): void {
		this.top = Math.min(Math.max(this.top, index - this.rowsSeen() + 1), index);
	}

	private tell(): void {
		if (!this.selection) {
			fill(this.details, h("p", { class: "quiet" }, "Nothing is selected. Click a bar, or use the arrow keys; ", h("kbd", null, "?"), " tells all keys."));
			return;
		}
		const { lane, slice } = this.selection;
		const who = lane.coroutine ? coroutineLink(lane.process, lane.coroutine) : h("span", null, lane.name);
		fill(this.details, h("p", null, h("i", { class: `bar ${STATES[slice.state]}`, "aria-hidden": "true" }),
			h("strong", null, slice.nrStates > 1 ? `${many(slice.nrStates, "state")}, mostly ${STATES[slice.state]}` : STATES[slice.state] ?? ""),
			` for ${duration(slice.until - slice.from)}, from ${moment(slice.from, 1)}: `, who,
			slice.coroutine && !lane.coroutine ? [", running ", coroutineLink(this.processOf(lane), slice.coroutine)] : null,
			slice.site ? [", ", placeLink(slice.site)] : null));
		if (lane.coroutine && slice.nrStates === 1)
			void this.tellState(lane, slice);
	}

	private processOf(lane: Lane): number {
		return this.trace.report.threads[lane.thread - 1]?.process ?? 1;
	}

	private async tellState(lane: Lane, slice: Slice): Promise<void> {
		const rows = await askRows("select", {
			table: "states", columns: "waker,waker_thread,waker_site,object,until_ns,is_open,thread,holder", limit: 1,
			where: [`coroutine=${lane.coroutine}`, `process=${lane.process}`, `from_ns=${Math.round(slice.from)}`],
		}).catch(() => null);
		if (!rows?.nrRows || this.selection?.slice !== slice)
			return;
		const waker = rows.number(0, 0), thread = rows.number(1, 0), holder = rows.number(7, 0);
		if (waker || thread)
			this.cause = { at: rows.number(4, 0), lane: waker && this.lanes.indexOf(`c${lane.process}.${waker}`) >= 0 ? `c${lane.process}.${waker}` : `t${thread}` };
		this.details.append(h("p", null,
			rows.word(3, 0) ? `For ${rows.word(3, 0)}. ` : "", holder ? ["Held by ", coroutineLink(lane.process, holder), ". "] : "",
			rows.number(5, 0) ? "It goes on at the end of the recording." : waker || thread ? ["Ended",
				waker ? [" by ", coroutineLink(lane.process, waker)] : "", thread ? ` on ${threadName(thread)}` : "",
				rows.number(2, 0) ? [", ", placeLink(rows.number(2, 0))] : "", "."] : ""));
		this.draw();
	}

	// ---------------------------------------------------------------- hands

	private listen(): void {
		let drag: { x: number; range: Range; hasMoved: boolean } | null = null;
		this.canvas.addEventListener("pointerdown", (event) => {
			drag = { x: event.offsetX, range: this.ranges.now, hasMoved: false };
			this.canvas.setPointerCapture(event.pointerId);
		});
		this.canvas.addEventListener("pointermove", (event) => {
			if (!drag || (Math.abs(event.offsetX - drag.x) < 4 && !drag.hasMoved))
				return;
			const perPixel = (drag.range.until - drag.range.from) / (this.width - this.names), by = (drag.x - event.offsetX) * perPixel;
			drag.hasMoved = true;
			this.ranges.slide({ from: drag.range.from + by, until: drag.range.until + by });
			this.changed();
		});
		this.canvas.addEventListener("pointerup", (event) => {
			if (drag && !drag.hasMoved)
				this.click(event);
			drag = null;
		});
		this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		this.canvas.addEventListener("keydown", (event) => this.keydown(event));
		this.overview.addEventListener("pointerdown", (event) => {
			const { from, until } = this.ranges.now, length = until - from;
			const centre = this.trace.from + event.offsetX / this.overview.clientWidth * (this.trace.until - this.trace.from);
			this.move({ from: centre - length / 2, until: centre + length / 2 });
		});
	}

	private click(event: PointerEvent): void {
		const index = this.top + Math.floor((event.offsetY - AXIS_HEIGHT) / LANE_HEIGHT);
		if (event.offsetY < AXIS_HEIGHT || index >= this.lanes.count)
			return;
		const lane = this.lanes.at(index);
		this.lane = index;
		this.select(lane, lane && event.offsetX >= this.names ? this.sliceAt(lane, this.timeAt(event.offsetX)) : null);
	}

	private wheel(event: WheelEvent): void {
		event.preventDefault();
		if (event.ctrlKey || event.metaKey) {
			this.ranges.slide(this.ranges.zoomed(Math.exp(event.deltaY / 300), this.timeAt(event.offsetX)));
		} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			this.ranges.slide(this.ranges.moved((event.shiftKey ? event.deltaY : event.deltaX) / 800));
		} else {
			this.top = Math.max(0, Math.min(this.lanes.count - this.rowsSeen(), this.top + Math.sign(event.deltaY) * 2));
		}
		this.changed();
	}

	private move(range: Range): void {
		this.ranges.set(range);
		this.changed();
	}

	private keydown(event: KeyboardEvent): void {
		const plain = event.key.length === 1 ? event.key.toLowerCase() : event.key;
		const key = event.ctrlKey || event.metaKey ? `ctrl+${plain}` : plain;
		if (this.key(key))
			event.preventDefault();
	}

	/** False: the key means nothing here. */
	key(key: string): boolean {
		const { from, until } = this.ranges.now, selected = this.selection?.slice, centre = selected && selected.from < until && selected.until > from
			? (Math.max(selected.from, from) + Math.min(selected.until, until)) / 2 : (from + until) / 2;
		const actions: Record<string, () => void> = {
			w: () => this.move(this.ranges.zoomed(0.5, centre)),
			s: () => this.move(this.ranges.zoomed(2, centre)),
			a: () => this.move(this.ranges.moved(-0.3)),
			d: () => this.move(this.ranges.moved(0.3)),
			0: () => this.move(this.ranges.all),
			f: () => this.centreOrFit(),
			"ctrl+z": () => { this.ranges.back(); this.changed(); },
			n: () => this.nextFinding(1),
			p: () => this.nextFinding(-1),
			".": () => this.nextSlice(1),
			",": () => this.nextSlice(-1),
			ArrowRight: () => this.nextSlice(1),
			ArrowLeft: () => this.nextSlice(-1),
			ArrowDown: () => this.nextLane(1),
			ArrowUp: () => this.nextLane(-1),
			Escape: () => this.select(null, null),
			g: () => this.goTo(),
			Enter: () => this.openSelected(),
		};
		actions[key]?.();
		return key in actions;
	}

	private centreOrFit(): void {
		const slice = this.selection?.slice, { from, until } = this.ranges.now;
		if (!slice)
			return;
		const middle = (slice.from + slice.until) / 2, isCentred = Math.abs(middle - (from + until) / 2) < (until - from) / 100;
		this.move(isCentred ? this.ranges.around(slice.from, slice.until)
			: { from: middle - (until - from) / 2, until: middle + (until - from) / 2 });
	}

	private nextFinding(by: number): void {
		const { findings } = this.trace.report;
		if (!findings.length)
			return;
		this.finding = (this.finding + by + findings.length) % findings.length;
		note({ finding: this.finding });
		const times = findings[this.finding]!.steps.flatMap((step) => step.event === null || step.time_ns === null ? [] : [step.time_ns]);
		this.lanes = this.makeLanes("finding", null);
		if (times.length)
			this.move(this.ranges.around(Math.min(...times), Math.max(...times)));
	}

	private nextLane(by: number): void {
		this.lane = Math.max(0, Math.min(this.lanes.count - 1, this.lane + by));
		this.show(this.lane);
		const lane = this.lanes.at(this.lane);
		this.select(lane, lane ? this.sliceAt(lane, this.selection?.slice.from ?? (this.ranges.now.from + this.ranges.now.until) / 2) : null);
		this.changed();
	}

	private nextSlice(by: number): void {
		const lane = this.lanes.at(this.lane), slices = lane ? this.slices.get(lane.key) ?? [] : [];
		const at = slices.findIndex((slice) => slice.from === this.selection?.slice.from);
		const { from, until } = this.ranges.now;
		const next = at < 0 ? slices.find((slice) => slice.until > from && slice.from < until) : slices[at + by];
		if (!lane || !next)
			return;
		if (next.until < from || next.from > until)
			this.move({ from: next.from - (until - from) / 2, until: next.from + (until - from) / 2 });
		this.select(lane, next);
	}

	private goTo(): void {
		const answer = window.prompt("Go to which time, in seconds from the beginning?", (this.ranges.now.from / 1e9).toString());
		const at = answer === null ? NaN : Number(answer) * 1e9, { from, until } = this.ranges.now;
		if (!Number.isNaN(at))
			this.move({ from: at - (until - from) / 2, until: at + (until - from) / 2 });
	}

	private openSelected(): void {
		const lane = this.lanes.at(this.lane);
		if (lane?.coroutine)
			location.hash = `#coroutine?process=${lane.process}&id=${lane.coroutine}`;
	}
}

export function showTimeline(into: HTMLElement, trace: Trace): () => void {
	const timeline = new Timeline(into, trace);
	return () => timeline.close();
}
