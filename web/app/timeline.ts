// SPDX-License-Identifier: MIT
//
// The timeline: the states of workers and coroutines over time. A canvas draws the last answer at once, and requests
// new data when the range no longer moves; an answer is never finer than the screen.

import { go, note, viewInUse } from "./address";
import { Area, areaOf, sayArea, type AreaOf } from "./area";
import { askBarWords, type BarWords } from "./bars";
import { askBesides, sayBeside, type Beside } from "./besides";
import { askRows } from "./carrier";
import { askArrows, type Arrow } from "./causes";
import { fill, h, sharpen } from "./dom";
import { listenHands, listenMinimap, type Handled } from "./hands";
import { TIMELINE, actionOf, type Action } from "./keys";
import { arrangementOf, conditionsOf, GROUPINGS, isGrouping, Lanes, type Arrangement, type Lane, type Row } from "./lanes";
import { drawMinimap, loadMinimap, type Minimap } from "./minimap";
import { KINDS } from "./names";
import {
	askState, commandOf, copies, legend, markShown, RangePanel, rangeOf, sayUnder, tableOf, tellCause, tellEvent, tellFinding, tellRow, tellSlice, type Gone, type Told,
} from "./panels";
import { SvgPen } from "./pen";
import { promptRange, promptTime } from "./prompt";
import { Ranges, type Range } from "./range";
import { duration, many, moment } from "./say";
import { AXIS_HEIGHT, drawScene, LANE_HEIGHT, placesOf, rowAt, rowsSeen, type Flag, type Scene } from "./scene";
import { Search, type Match } from "./search";
import { askSlices, type Slice } from "./slices";
import { palette } from "./states";
import { Tip } from "./tip";
import { type Trace } from "./trace";

const ASK_AFTER_MS = 70;
/** Room for "coroutine 100001". */
const NAMES_LEAST = 136;

interface Selection {
	lane: Lane;
	slice: Slice;
}

export class Timeline implements Handled {
	private readonly canvas = h("canvas", {
		tabindex: 0, role: "application", id: "timeline-canvas",
		"aria-label": "Timeline. W and S zoom, A and D move, arrow keys choose a lane and a state, question mark tells all keys.",
	});
	private readonly overview = h("canvas", { class: "minimap", role: "img", "aria-label": "The whole recording, with the range that is shown" });
	private readonly details = h("section", { class: "details", "aria-label": "Selection", "aria-live": "polite" });
	private readonly scale = h("p", { class: "quiet range", role: "status" });
	private readonly tip = new Tip((lane, slice, told) => void this.pointAt(lane, slice, told), () => void this.pointAt(null, null, null));
	private readonly prompts = h("div", { class: "prompts" });
	private readonly legend: HTMLElement;
	private readonly panel: RangePanel;
	private readonly frame: HTMLElement;
	private readonly ranges: Ranges;
	private readonly search: Search;
	private readonly arrangement: Arrangement;
	private lanes: Lanes;
	private slices = new Map<string, Slice[]>();
	private words: BarWords = new Map();
	private besides: Beside[] = [];
	private answered: (Range & { resolution: number }) | null = null;
	private minimap: Minimap | null = null;
	private top = 0;
	private row = 0;
	private selection: Selection | null = null;
	private arrows: Arrow[] = [];
	/** The arrows of the state under the pointer. */
	private pointed: Arrow[] = [];
	private nrPointed = 0;
	private chosen: AreaOf | null = null;
	/** True if the area's lanes were known when its sums were requested. */
	private isSummed = false;
	/** The rows of an area that is being drawn. */
	private areaRows: readonly [number, number] | null = null;
	private readonly sums = new Area(() => { if (this.chosen) this.move(this.chosen); }, () => this.chooseArea(null));
	private gone: Gone | null = null;
	private finding: number;
	private step: number;
	private brushed: Range | null = null;
	private drop: number | null = null;
	private timer = 0;
	private nrAsked = 0;
	private nrSelected = 0;
	private latest: Promise<void> = Promise.resolve();
	private isDrawing = false;
	/** The width at the last frame: asking the element for it at each bar would compute the page's layout again. */
	private width = 0;
	private readonly seen = new ResizeObserver(() => this.changed());

	constructor(into: HTMLElement, private readonly trace: Trace) {
		const given = viewInUse().arguments, grouping = given.get("lanes");
		this.finding = Math.max(0, trace.report.findings.findIndex((one) => one.address === given.get("finding")));
		this.step = Number(given.get("step") ?? 0) || 0;
		this.ranges = new Ranges({ from: trace.from, until: trace.until }, this.rangeOf(given));
		this.arrangement = arrangementOf(given);
		this.lanes = this.makeLanes(isGrouping(grouping) ? grouping : "finding");
		this.row = this.firstRow();
		this.search = new Search(trace, (match) => void this.showMatch(match), () => this.canvas.focus(), () => this.ranges.now.from);
		this.panel = new RangePanel(trace);
		this.legend = legend(trace);
		this.frame = h("div", { class: "timeline", "aria-busy": "true" }, this.canvas, this.tip.element);
		fill(into, this.toolbar(), this.prompts, this.overview, this.frame, this.scale, this.details, this.sums.element,
			h("div", { class: "foot" }, this.panel.element,
				copies(() => this.svg(), () => tableOf(this.lanesSeen(), this.slices), () => commandOf(this.ranges.now, this.selection?.lane ?? null))));
		listenHands(this.canvas, this);
		listenMinimap(this.overview, this, (share) => this.centre(trace.from + share * (trace.until - trace.from)));
		this.canvas.addEventListener("keydown", this.keydown);
		window.addEventListener("keydown", this.keydown);
		this.seen.observe(this.frame);
		void loadMinimap(trace).then((map) => { this.minimap = map; this.draw(); }).catch(() => undefined);
		this.tell();
		void this.restore(given);
	}

	close(): void {
		this.seen.disconnect();
		this.panel.close();
		window.removeEventListener("keydown", this.keydown);
		clearTimeout(this.timer);
		this.nrSelected++;
	}

	// ---------------------------------------------------------------- the view in the address

	/** Returns "from" and "until" of the address, or a range around "at". */
	private rangeOf(given: URLSearchParams): Range | undefined {
		const from = given.get("from"), until = given.get("until"), at = given.get("at");
		if (from !== null && until !== null)
			return { from: Number(from), until: Number(until) };
		if (at === null)
			return rangeOf(this.trace.report.findings[this.finding], 0.4, 2e5);
		const half = Math.min(1e6, (this.trace.until - this.trace.from) / 20);
		return { from: Number(at) - half, until: Number(at) + half };
	}

	private makeLanes(grouping: Lanes["grouping"]): Lanes {
		const lanes = new Lanes(this.trace, grouping, this.finding, this.arrangement, () => this.changed());
		void lanes.ready.then(() => this.lanes === lanes && this.tell(), () => undefined);
		return lanes;
	}

	/** Returns the row of the first lane below the first head. */
	private firstRow(): number {
		return this.lanes.count > 1 ? 1 : 0;
	}

	/** Selects what the address says was selected. */
	private async restore(given: URLSearchParams): Promise<void> {
		const key = given.get("lane"), at = Number(given.get("selected") ?? given.get("at") ?? NaN), event = given.get("event");
		await this.ask();
		if (key)
			await this.selectAt(key, at);
		if (event)
			await this.goToEvent([`event=${event}`], "event");
		this.chooseArea(areaOf(given.get("area")));
	}

	/** Gives the lane a row if it has none, and selects the lane's state at that moment. */
	private async selectAt(key: string, at: number): Promise<void> {
		const index = this.lanes.find(key), lane = index < 0 ? null : this.lanes.at(index)?.lane ?? null;
		if (!lane)
			return;
		this.row = index;
		this.show(index);
		await this.selectAnswered(lane, at);
	}

	// ---------------------------------------------------------------- above the picture

	private toolbar(): HTMLElement {
		const choice = h("select", { id: "grouping", change: (event: Event) => this.group((event.target as HTMLSelectElement).value) },
			GROUPINGS.map(([name, words]) => h("option", { value: name, selected: name === this.lanes.grouping }, words)));
		const button = (words: string, action: Action): HTMLElement =>
			h("button", { class: "small", title: `key ${TIMELINE[action].told}`, click: () => { this.act(action); this.canvas.focus(); } }, words);
		return h("div", { class: "toolbar" }, h("label", { for: "grouping" }, "Lanes: "), choice,
			button("zoom in", "zoomIn"), button("zoom out", "zoomOut"), button("all", "all"), button("back", "back"),
			this.trace.report.findings.length ? [button("previous finding", "previousFinding"), button("next finding", "nextFinding")] : null,
			this.search.element, this.legend);
	}

	private group(name: string): void {
		if (!isGrouping(name))
			return;
		note({ lanes: name, fold: undefined });
		this.arrangement.folded = [];
		this.arrange(name);
		this.top = 0;
		this.row = this.firstRow();
	}

	/** Builds the lanes again: with another grouping, or with other lanes hidden. */
	private arrange(grouping = this.lanes.grouping): void {
		this.lanes = this.makeLanes(grouping);
		this.noteArrangement();
		this.changed();
	}

	private noteArrangement(): void {
		const { pinned, hidden, folded } = this.arrangement;
		note({ pin: pinned.join(" "), hide: hidden.join(" "), fold: folded.join("\n") });
	}

	// ---------------------------------------------------------------- the shown range

	names(): number {
		return Math.min(250, Math.max(this.width * 0.3, Math.min(NAMES_LEAST, this.width / 2)));
	}

	range(): Range {
		return this.ranges.now;
	}

	perPixel(): number {
		return (this.ranges.now.until - this.ranges.now.from) / Math.max(1, this.width - this.names());
	}

	timeAt(x: number): number {
		return this.ranges.now.from + (x - this.names()) * this.perPixel();
	}

	rowAt(y: number): number {
		return rowAt(this.lanes, this.top, Math.floor((y - AXIS_HEIGHT) / LANE_HEIGHT));
	}

	private rowsSeen(): number {
		return rowsSeen(this.frame.clientHeight);
	}

	private lanesSeen(): Lane[] {
		const lanes: Lane[] = [];
		for (let row = 0; row <= this.rowsSeen() && this.top + row < this.lanes.count; row++) {
			const lane = this.lanes.at(rowAt(this.lanes, this.top, row))?.lane;
			if (lane && !lanes.some((one) => one.key === lane.key))
				lanes.push(lane);
		}
		return lanes;
	}

	/** Draws what is known after the view has changed, and requests the rest soon. */
	private changed(): void {
		this.draw();
		this.frame.setAttribute("aria-busy", "true");
		clearTimeout(this.timer);
		this.timer = window.setTimeout(() => {
			this.timer = 0;
			note({ from: Math.round(this.ranges.now.from), until: Math.round(this.ranges.now.until), at: undefined });
			this.panel.scope(this.ranges.now, this.selection?.lane ?? null);
			void this.ask();
		}, ASK_AFTER_MS);
	}

	/** Resolved when the data of the shown range has arrived. */
	private ask(): Promise<void> {
		this.latest = this.askFor(++this.nrAsked);
		return this.latest;
	}

	private async askFor(number: number): Promise<void> {
		try {
			await this.lanes.ready;
			this.width = this.frame.clientWidth;
			const { from, until } = this.ranges.now, length = until - from;
			const wanted = {
				from: Math.max(this.trace.from, from - length / 2), until: Math.min(this.trace.until, until + length / 2), resolution: this.perPixel(),
			};
			const [slices, besides] = await Promise.all([
				askSlices(this.lanesSeen().map((lane) => lane.key), wanted.from, wanted.until, wanted.resolution),
				askBesides(this.trace, wanted.from, wanted.until)]);
			/* A newer request has overtaken this one: its answer belongs to the earlier view. */
			if (number !== this.nrAsked)
				return this.latest;
			this.slices = slices;
			this.besides = besides;
			markShown(this.legend, slices);
			this.answered = wanted;
			this.draw();
			const words = await askBarWords(this.lanesSeen(), wanted, wanted.resolution);
			if (number !== this.nrAsked)
				return this.latest;
			this.words = words;
			/* Lanes that become known later are requested then. */
			if (this.chosen && !this.isSummed)
				this.chooseArea(this.chosen);
			this.frame.setAttribute("aria-busy", String(this.timer !== 0 || this.lanes.isAsking));
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

	private scene(): Scene {
		return {
			width: this.width, height: this.frame.clientHeight, names: this.names(), range: this.ranges.now, lanes: this.lanes, top: this.top, row: this.row,
			slices: this.slices, words: this.words, besides: this.besides, selected: this.selection ? { lane: this.selection.lane.key, slice: this.selection.slice } : null, arrows: [...this.arrows, ...this.pointed],
			flags: this.flags(), step: this.step, event: this.gone ? { time: this.gone.time, words: KINDS[this.gone.kind] ?? "event" } : null,
			brush: this.brushed, area: this.chosen && { ...this.chosen, rows: this.areaRows ?? this.rowsOf(this.chosen) }, drop: this.drop, isAnswered: this.answered !== null, colours: palette(),
		};
	}

	private paint(): void {
		const scene = this.scene(), { from, until } = this.ranges.now, resolution = this.answered?.resolution ?? 0;
		drawScene(sharpen(this.canvas, scene.width, scene.height), scene);
		if (this.minimap)
			drawMinimap(this.overview, this.minimap, this.ranges.now, scene.flags.map(({ time }) => time), scene.colours);
		this.scale.textContent = `${moment(from, (until - from) / 100)} to ${moment(until, (until - from) / 100)}: ${duration(until - from)}` +
			(resolution >= 1 ? `; states shorter than ${duration(Math.round(resolution))} are merged` : "") +
			`; ${many(this.lanes.nrLanes, "lane")}${this.arrangement.hidden.length ? `, ${this.arrangement.hidden.length} hidden` : ""}`;
	}

	private svg(): string {
		const scene = this.scene(), pen = new SvgPen(scene.width, scene.height, this.scale.textContent ?? "Timeline", scene.colours.ground);
		drawScene(pen, scene);
		return pen.text();
	}

	/** Returns the steps of the chosen finding that have a time. */
	private flags(): Flag[] {
		return (this.trace.report.findings[this.finding]?.steps ?? []).flatMap((step, index) =>
			step.time_ns === null ? [] : [{ time: step.time_ns, number: index + 1 }]).sort((one, other) => one.time - other.time);
	}

	// ---------------------------------------------------------------- selection

	private sliceAt(lane: Lane, ns: number): Slice | null {
		/* The end of one slice is the beginning of the next slice. */
		const reach = this.perPixel() * 3, away = (slice: Slice): number => ns < slice.from ? slice.from - ns : ns >= slice.until ? ns - slice.until + 1 : 0;
		let best: Slice | null = null;
		for (const slice of this.slices.get(lane.key) ?? [])
			if (away(slice) <= reach && (!best || away(slice) < away(best)))
				best = slice;
		return best;
	}

	private select(lane: Lane | null, slice: Slice | null): void {
		this.nrSelected++;
		this.selection = lane && slice ? { lane, slice } : null;
		this.arrows = [];
		note({ lane: lane?.key, selected: slice ? Math.round(slice.from) : undefined });
		this.tell();
		this.panel.scope(this.ranges.now, this.selection?.lane ?? null);
		this.draw();
	}

	private show(index: number): void {
		/* The uppermost row on the screen shows the group's head. */
		this.top = Math.max(0, Math.min(Math.max(this.top, index - this.rowsSeen() + 1), index === this.lanes.headOf(index) ? index : index - 1));
	}

	private processOf(lane: Lane): number {
		return lane.process || (this.trace.report.threads[lane.thread - 1]?.process ?? 1);
	}

	private tell(): void {
		const { selection } = this, row = this.lanes.at(this.row);
		fill(this.details, tellFinding(this.trace, this.finding, this.step), selection ? tellSlice(selection.lane, selection.slice, this.processOf(selection.lane))
			: h("p", { class: "quiet" }, "No state is selected. Click a bar, or use the arrow keys; ", h("kbd", null, "?"), " tells all keys."),
		tellEvent(this.gone), row ? tellRow(row, this.lanes, this.arrangement.hidden.length, (action) => this.act(action)) : null);
		if (selection && selection.slice.nrStates === 1)
			void this.tellWhy(selection).catch(() => undefined);
	}

	private async tellWhy(selection: Selection): Promise<void> {
		if (selection.lane.object)
			return;
		const { lane, slice } = selection, told = lane.coroutine ? await askState(lane, slice) : null;
		const arrows = await askArrows(this.processOf(lane), lane, slice, told?.isOpen ?? false, told?.holder ?? 0);
		if (this.selection !== selection)
			return;
		this.arrows = arrows;
		if (told)
			this.details.append(tellCause(lane.process, told));
		this.draw();
	}

	// ---------------------------------------------------------------- pointer

	click(x: number, y: number): void {
		if (y < AXIS_HEIGHT) {
			const flag = placesOf(this.scene()).find((one) => Math.abs(one.middle - x) <= 9)?.flag;
			if (flag)
				this.chooseStep(flag.number);
			return;
		}
		const index = this.rowAt(y), row = this.lanes.at(index);
		if (!row)
			return;
		this.row = index;
		if (row.isHead && x < this.names())
			this.toggle(row);
		else
			this.select(row.lane, row.lane && x >= this.names() ? this.sliceAt(row.lane, this.timeAt(x)) : null);
	}

	private chooseStep(number: number): void {
		this.step = this.step === number ? 0 : number;
		note({ step: this.step || undefined, finding: this.trace.report.findings[this.finding]!.address });
		this.tell();
		this.draw();
	}

	over(x: number, y: number): void {
		const row = y >= AXIS_HEIGHT && x >= this.names() ? this.lanes.at(this.rowAt(y)) : null;
		const slice = row?.lane ? this.sliceAt(row.lane, this.timeAt(x)) : null;
		const beside = x < this.names() ? "" : sayBeside(this.besides, row?.lane ?? null, this.timeAt(x), this.perPixel());
		this.tip.show([row?.lane && slice ? sayUnder(row.lane, slice) : "", row?.isHead && !row.lane ? row.group.title : "", beside].filter((words) => words).join("; "), row?.lane ?? null, slice, x, y);
	}

	away(): void {
		this.tip.hide();
	}

	keep(): void {
		this.ranges.keep();
	}

	slide(range: Range): void {
		this.ranges.slide(range);
		this.changed();
	}

	zoom(factor: number, at: number): void {
		this.slide(this.ranges.zoomed(factor, at));
	}

	pan(share: number): void {
		this.slide(this.ranges.moved(share));
	}

	scroll(rows: number): void {
		this.top = Math.max(0, Math.min(this.lanes.count - this.rowsSeen(), this.top + rows));
		this.changed();
	}

	brush(range: Range | null, isDone: boolean): void {
		this.brushed = isDone ? null : range;
		if (isDone && range)
			this.move(range);
		this.draw();
	}

	/** While an area is being drawn, its row numbers identify its rows; from then on, its lanes do. */
	area(range: Range, from: number, to: number, isDone: boolean): void {
		const rows = [Math.max(0, Math.min(from, to)), Math.min(this.lanes.count - 1, Math.max(from, to))] as const;
		if (!isDone) {
			this.chosen = { ...range, first: "", last: "" };
			this.areaRows = rows;
			this.draw();
			return;
		}
		const keys = this.lanesBetween(rows).map((lane) => lane.key);
		this.areaRows = null;
		this.chooseArea(keys.length ? { ...range, first: keys[0]!, last: keys[keys.length - 1]! } : null);
	}

	private rowsOf({ first, last }: AreaOf): readonly [number, number] | null {
		const rows = [this.lanes.indexOf(first), this.lanes.indexOf(last)] as const;
		return rows[0] < 0 || rows[1] < 0 ? null : rows;
	}

	private lanesBetween([first, last]: readonly [number, number]): Lane[] {
		const lanes = Array.from({ length: Math.max(0, last - first + 1) }, (_, row) => this.lanes.at(first + row)?.lane);
		return lanes.flatMap((lane) => lane ?? []);
	}

	/** Chooses an area; null removes the area. */
	private chooseArea(area: AreaOf | null): void {
		this.chosen = area;
		note({ area: area ? sayArea(area) : undefined });
		this.draw();
		if (!area) {
			this.sums.hide();
			return;
		}
		const rows = this.rowsOf(area);
		this.isSummed = rows !== null || !area.first || !this.lanes.isAsking;
		void this.sums.show(area, rows ? this.lanesBetween(rows) : []).catch((failure: Error) => { this.scale.textContent = failure.message; });
	}

	/** Sets the arrows of the state under the pointer; null: no arrows. */
	private async pointAt(lane: Lane | null, slice: Slice | null, told: Told | null): Promise<void> {
		const number = ++this.nrPointed, hadAny = this.pointed.length > 0;
		this.pointed = [];
		if (hadAny)
			this.draw();
		if (!lane || !slice || !told)
			return;
		const arrows = await askArrows(this.processOf(lane), lane, slice, told.isOpen, told.holder).catch(() => []);
		if (number !== this.nrPointed)
			return;
		this.pointed = arrows;
		this.draw();
	}

	/**
	 * A lane's name is dropped: a lane dropped among the pinned lanes stays pinned there; elsewhere it is unpinned.
	 */
	drag(from: number, to: number | null, isDone: boolean): void {
		this.drop = isDone ? null : to;
		this.draw();
		const lane = this.lanes.at(from)?.lane, nrPinned = this.arrangement.pinned.length;
		if (!isDone || !lane || to === null)
			return;
		this.lanes.pin(lane.key, to <= nrPinned ? Math.max(0, to - 1) : null);
		this.follow(lane.key);
	}

	private centre(ns: number): void {
		const half = (this.ranges.now.until - this.ranges.now.from) / 2;
		this.slide({ from: ns - half, until: ns + half });
	}

	private move(range: Range): void {
		this.ranges.set(range);
		this.changed();
	}

	// ---------------------------------------------------------------- keys

	/** Handles keys of the canvas, and keys of the page if no other element has the focus. */
	private readonly keydown = (event: KeyboardEvent): void => {
		const target = event.target as HTMLElement, action = actionOf(event);
		if (event.defaultPrevented || !action || target.closest("input, select, textarea, .virtual") || document.querySelector("dialog[open]"))
			return;
		if (event.key === "Enter" && target.closest("button, a, summary"))
			return;
		event.preventDefault();
		this.act(action);
	};

	private act(action: Action): void {
		const { from, until } = this.ranges.now, selected = this.selection?.slice, isSeen = selected && selected.from < until && selected.until > from;
		const centre = isSeen ? (Math.max(selected.from, from) + Math.min(selected.until, until)) / 2 : (from + until) / 2;
		const lane = this.lanes.at(this.row)?.lane ?? null;
		const actions: Record<Action, () => void> = {
			zoomIn: () => this.move(this.ranges.zoomed(0.5, centre)),
			zoomOut: () => this.move(this.ranges.zoomed(2, centre)),
			left: () => this.move(this.ranges.moved(-0.3)),
			right: () => this.move(this.ranges.moved(0.3)),
			all: () => this.move(this.ranges.all),
			fit: () => this.centreOrFit(),
			goTo: () => promptTime(this.prompts, this.ranges, (range) => this.move(range), () => this.canvas.focus()),
			range: () => promptRange(this.prompts, this.ranges, (range) => this.move(range), () => this.canvas.focus()),
			back: () => { this.ranges.back(); this.changed(); },
			nextState: () => this.nextSlice(1),
			previousState: () => this.nextSlice(-1),
			nextLane: () => this.nextLane(1),
			previousLane: () => this.nextLane(-1),
			nextEvent: () => void this.nextEvent(1),
			previousEvent: () => void this.nextEvent(-1),
			nextFinding: () => this.nextFinding(1),
			previousFinding: () => this.nextFinding(-1),
			search: () => document.getElementById("text")?.focus(),
			open: () => this.open(),
			pin: () => lane && this.pin(lane, this.lanes.isPinned(lane.key) ? null : this.arrangement.pinned.length),
			pinnedUp: () => lane && this.movePinned(lane, -1),
			pinnedDown: () => lane && this.movePinned(lane, 1),
			hide: () => lane && this.hide(lane),
			showAll: () => { this.arrangement.hidden = []; this.arrange(); this.tell(); },
			sums: () => this.chooseArea({ ...this.ranges.now, first: "", last: "" }),
			nothing: () => { this.chooseArea(null); this.gone = null; this.step = 0; note({ event: undefined, step: undefined }); this.select(null, null); },
		};
		actions[action]();
	}

	private centreOrFit(): void {
		const slice = this.selection?.slice, { from, until } = this.ranges.now;
		if (!slice)
			return;
		const middle = (slice.from + slice.until) / 2, isCentred = Math.abs(middle - (from + until) / 2) < (until - from) / 100;
		this.move(isCentred ? this.ranges.around(slice.from, slice.until) : { from: middle - (until - from) / 2, until: middle + (until - from) / 2 });
	}

	private nextFinding(by: number): void {
		const { findings } = this.trace.report;
		if (!findings.length)
			return;
		this.finding = (this.finding + by + findings.length) % findings.length;
		this.step = 0;
		note({ finding: findings[this.finding]!.address, lanes: "finding", step: undefined });
		(document.getElementById("grouping") as HTMLSelectElement).value = "finding";
		this.arrange("finding");
		this.tell();
		const range = rangeOf(findings[this.finding], 0.15, 25);
		if (range)
			this.move(range);
	}

	private nextLane(by: number): void {
		const at = this.selection?.slice.from ?? (this.ranges.now.from + this.ranges.now.until) / 2;
		this.row = Math.max(0, Math.min(this.lanes.count - 1, this.row + by));
		this.show(this.row);
		const lane = this.lanes.at(this.row)?.lane ?? null;
		this.select(lane, lane ? this.sliceAt(lane, at) : null);
		this.changed();
		if (lane && !this.slices.has(lane.key))
			void this.selectAnswered(lane, at);
	}

	/**
	 * Selects a state that has not been requested yet, as soon as it is known, unless another state is selected
	 * meanwhile.
	 */
	private async selectAnswered(lane: Lane, at: number): Promise<void> {
		const number = ++this.nrSelected;
		let tries = 3;
		/* The lane may not have been among the visible lanes when the request was sent. */
		do
			await this.ask();
		while (--tries && number === this.nrSelected && !this.slices.has(lane.key));
		if (number === this.nrSelected)
			this.select(lane, this.sliceAt(lane, at));
	}

	private nextSlice(by: number): void {
		const lane = this.lanes.at(this.row)?.lane, slices = lane ? this.slices.get(lane.key) ?? [] : [];
		const at = slices.findIndex((slice) => slice.from === this.selection?.slice.from), { from, until } = this.ranges.now;
		const next = at < 0 ? slices.find((slice) => slice.until > from && slice.from < until) : slices[at + by];
		if (!lane || !next)
			return;
		if (next.until < from || next.from > until)
			this.move({ from: next.from - (until - from) / 2, until: next.from + (until - from) / 2 });
		this.select(lane, next);
	}

	// ---------------------------------------------------------------- events, matches

	/**
	 * Goes to the next event of the lane that keys act on; if there is no such lane, to the next event of all
	 * lanes.
	 */
	private async nextEvent(by: number): Promise<void> {
		const lane = this.lanes.at(this.row)?.lane, from = Math.round(this.selection?.slice.from ?? (this.ranges.now.from + this.ranges.now.until) / 2);
		const who = lane ? conditionsOf(lane) : [];
		const where = this.gone ? `event${by > 0 ? ">" : "<"}${this.gone.event}` : `time_ns${by > 0 ? ">=" : "<="}${from}`;
		await this.goToEvent([where, ...who], by > 0 ? "event" : "-event");
	}

	private async goToEvent(where: readonly string[], order: string): Promise<void> {
		const rows = await askRows("select", { table: "events", columns: "event,time_ns,kind,site", where, order, limit: 1 }).catch(() => null);
		if (!rows?.nrRows)
			return;
		this.gone = { event: rows.number(0, 0), time: rows.number(1, 0), kind: rows.number(2, 0), site: rows.number(3, 0) || 0 };
		note({ event: this.gone.event });
		const { from, until } = this.ranges.now, { time } = this.gone;
		if (time < from || time > until)
			this.move({ from: time - (until - from) / 2, until: time + (until - from) / 2 });
		this.tell();
		this.draw();
	}

	private async showMatch({ lane, at }: Match): Promise<void> {
		const { from, until } = this.ranges.now;
		if (at < from || at > until)
			this.move({ from: at - (until - from) / 2, until: at + (until - from) / 2 });
		await this.selectAt(lane, at);
	}

	// ---------------------------------------------------------------- lanes

	private open(): void {
		const row = this.lanes.at(this.row);
		if (row?.isHead)
			this.toggle(row);
		else if (row?.lane?.coroutine)
			location.hash = `#coroutine?process=${row.lane.process}&id=${row.lane.coroutine}`;
		else if (row?.lane?.object)
			go("objects", { text: row.lane.name });
	}

	private toggle(row: Row): void {
		this.lanes.toggle(row.group);
		this.show(this.row);
		this.noteArrangement();
		this.tell();
	}

	/** Keeps the row that keys act on at this lane, wherever the lane is now. */
	private follow(key: string): void {
		this.noteArrangement();
		this.row = Math.max(0, this.lanes.indexOf(key));
		this.show(this.row);
		this.tell();
		this.changed();
	}

	private pin(lane: Lane, place: number | null): void {
		this.lanes.pin(lane.key, place);
		this.follow(lane.key);
	}

	private movePinned(lane: Lane, by: number): void {
		this.lanes.movePinned(lane.key, by);
		this.follow(lane.key);
	}

	private hide(lane: Lane): void {
		const { arrangement } = this;
		arrangement.hidden = [...arrangement.hidden.filter((key) => key !== lane.key), lane.key].slice(-40);
		arrangement.pinned = arrangement.pinned.filter((key) => key !== lane.key);
		this.arrange();
		this.select(null, null);
	}
}

export function showTimeline(into: HTMLElement, trace: Trace): () => void {
	const timeline = new Timeline(into, trace);
	return () => timeline.close();
}
