// SPDX-License-Identifier: MIT
//
// The lanes of a timeline: which lanes there are, in which groups and in which order. A trace has as many lanes as
// coroutines: only the lanes that are visible are requested. The reader can pin lanes to the top, hide lanes and fold
// groups: the address keeps these changes.

import { askRows, type Arguments } from "./carrier";
import { askDescriptors } from "./descriptors";
import { withoutFolders } from "./dom";
import { RESOURCES } from "./names";
import type { Rows } from "./rows";
import { capital, many } from "./say";
import { placeOf, threadName, type Finding, type Member, type PictureLane, type Step, type Trace } from "./trace";

const PAGE = 200;
/** The number of groups that are requested, the largest first. */
const GROUPS_MAX = 4096;
/** A group with more lanes, or after so many lanes, is folded until the reader opens it. */
const OPEN_LANES = 60;
const OPEN_GROUPS = 12;
/** If there are more workers, the group of workers is folded, to leave room for coroutines. */
const OPEN_WORKERS = 8;
const OPEN_OBJECTS = 4;
/** The same on a screen that has room for few lanes. */
const OPEN_WORKERS_SMALL = 2;
const OPEN_OBJECTS_SMALL = 2;
/** A lane of a member that acts, but comes after so many others, is shown with those that took part. */
const MEMBERS_SEEN = 3;

export interface Lane {
	/** The lane's key in requests, such as "c1.1025", "t3" or "o1.144115188075855991". */
	key: string;
	name: string;
	hint: string;
	process: number;
	/** 0: the lane of a thread. */
	coroutine: number;
	thread: number;
	/** The handle of an object, in digits; "": the lane of a coroutine or a thread. */
	object: string;
	/** When the coroutine was created; NaN: not known. */
	begun: number;
	/** When the coroutine was destroyed, or the descriptor was closed; NaN: neither, or not known. */
	ended: number;
	/** The wait of a finding's member that goes on at the end. */
	lasts?: { from: number; until: number; hadNoWake: boolean };
}

export type Grouping = "finding" | "start" | "worker" | "parent" | "task" | "all" | "waiting" | "workers";

export const GROUPINGS: readonly [Grouping, string][] = [
	["finding", "by finding"], ["start", "by place of start"], ["worker", "by worker"], ["parent", "by parent"], ["task", "by task"],
	["waiting", "longest wait first"], ["all", "as they came"], ["workers", "workers alone"],
];

export function isGrouping(name: string | null): name is Grouping {
	return GROUPINGS.some(([one]) => one === name);
}

export function threadLane(thread: number): Lane {
	const name = threadName(thread);
	return { key: `t${thread}`, name, hint: /worker/i.test(name) ? "" : "worker", process: 0, coroutine: 0, thread, object: "", begun: NaN, ended: NaN };
}

/** Returns the lane of a lock, a channel or another object: "lock 0x77". */
export function objectLane(process: number, handle: string, words = "", name = ""): Lane {
	return { key: `o${process}.${handle}`, name: words || "object", hint: name, process, coroutine: 0, thread: 0, object: handle, begun: NaN, ended: NaN };
}

/** A place is named by its function alone. */
export function coroutineLane(process: number, id: number, name = "", ended = NaN, begun = NaN): Lane {
	return { key: `c${process}.${id}`, name: `coroutine ${id}`, hint: name.replace(/, [^,]*:\d+$/, ""), process, coroutine: id, thread: 0, object: "", begun, ended };
}

/** Puts lanes in the order of their names, by the numbers in these: worker 2 before worker 10. */
function inOrder(lanes: readonly Lane[]): Lane[] {
	return [...lanes].sort((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }));
}

/** Returns the conditions that select a lane's rows in tables of events. */
export function conditionsOf({ process, coroutine, thread, object }: Lane): string[] {
	return thread ? [`thread=${thread}`] : [coroutine ? `coroutine=${coroutine}` : `object=${object}`, `process=${process}`];
}

/** Parses a key such as "c1.1025" or "t3"; null: the text is not the key of a lane. */
export function laneOf(key: string): Lane | null {
	const coroutine = /^c(\d+)\.(\d+)$/.exec(key), thread = /^t(\d+)$/.exec(key), object = /^o(\d+)\.(\d+)$/.exec(key);
	return object ? objectLane(Number(object[1]), object[2]!) : coroutine ? coroutineLane(Number(coroutine[1]), Number(coroutine[2])) : thread ? threadLane(Number(thread[1])) : null;
}

// ---------------------------------------------------------------- the lanes of a group

interface Members {
	readonly count: number;
	/** null: the lane is not known yet, and has been requested. */
	at(index: number): Lane | null;
	/** -1: no lane that is known. */
	indexOf(key: string): number;
	/** True while lanes were requested that are not known yet. */
	readonly isAsking: boolean;
}

class Fixed implements Members {
	readonly isAsking = false;

	constructor(private readonly lanes: readonly Lane[]) {}

	get count(): number {
		return this.lanes.length;
	}

	at(index: number): Lane | null {
		return this.lanes[index] ?? null;
	}

	indexOf(key: string): number {
		return this.lanes.findIndex((lane) => lane.key === key);
	}
}

/**
 * Lanes that are requested page by page. A hidden lane is known as soon as its page is; the index of a lane counts only
 * the lanes that are shown.
 */
class Paged implements Members {
	private readonly pages = new Map<number, Lane[]>();
	private readonly asked = new Set<number>();
	private readonly gone: number[] = [];

	constructor(private readonly ask: (offset: number) => Promise<Lane[]>, private readonly total: number,
		private readonly hidden: ReadonlySet<string>, private readonly changed: () => void) {}

	get count(): number {
		return Math.max(0, this.total - this.gone.length);
	}

	get isAsking(): boolean {
		return this.pages.size < this.asked.size;
	}

	private async load(page: number): Promise<void> {
		if (this.asked.has(page))
			return;
		this.asked.add(page);
		const lanes = await this.ask(page * PAGE).catch(() => []);
		this.pages.set(page, lanes);
		lanes.forEach((lane, index) => {
			if (this.hidden.has(lane.key))
				this.gone.push(page * PAGE + index);
		});
		this.gone.sort((one, other) => one - other);
		this.changed();
	}

	at(index: number): Lane | null {
		let place = index;
		for (const gone of this.gone)
			if (gone <= place)
				place++;
		const page = Math.floor(place / PAGE);
		void this.load(page);
		return this.pages.get(page)?.[place % PAGE] ?? null;
	}

	indexOf(key: string): number {
		if (this.hidden.has(key))
			return -1;
		for (const [page, lanes] of this.pages) {
			const found = lanes.findIndex((lane) => lane.key === key), place = page * PAGE + found;
			if (found >= 0)
				return place - this.gone.filter((gone) => gone < place).length;
		}
		return -1;
	}
}

export interface Group {
	key: string;
	title: string;
	/** The title says how many there are. */
	isCounted: boolean;
	/** The lane in the group's head: a worker, or the coroutine that started the others. */
	lane: Lane | null;
	isOpen: boolean;
	members: Members;
}

/** A row of the screen: a group's head, or a lane of the group; `lane` is null until the lane is known. */
export interface Row {
	group: Group;
	isHead: boolean;
	lane: Lane | null;
}

// ---------------------------------------------------------------- the reader's arrangement

/** Kept in the address. */
export interface Arrangement {
	pinned: string[];
	hidden: string[];
	/** Groups whose state, folded or open, differs from the state that they have by default. */
	folded: string[];
}

export function arrangementOf(given: URLSearchParams): Arrangement {
	const listed = (name: string, between: string): string[] => (given.get(name) ?? "").split(between).filter((key) => key).slice(0, 40);
	return { pinned: listed("pin", " "), hidden: listed("hide", " "), folded: listed("fold", "\n") };
}

const COLUMNS = "process,coroutine,name,function_site,destroyed_ns,created_ns";

function lanesOf(rows: Rows): Lane[] {
	return Array.from({ length: rows.nrRows }, (_, row) => coroutineLane(rows.number(0, row), rows.number(1, row),
		rows.word(2, row) || placeOf(rows.number(3, row) || null), rows.number(4, row), rows.number(5, row)));
}

async function askCoroutines(given: Arguments, offset: number): Promise<Lane[]> {
	return lanesOf(await askRows("select", { table: "coroutines", columns: COLUMNS, offset, limit: PAGE, ...given }));
}

function memberLane(member: Member, hasWakes = false): Lane {
	const lane = coroutineLane(member.process, member.id, member.name || placeOf(member.function_site), member.destroyed_ns ?? NaN, member.created_ns ?? NaN);
	const { since_ns: from, until_ns: until, last_wake: wake } = member;
	if (member.state === "waiting" && !member.is_over && from !== null && until !== null)
		lane.lasts = { from, until, hadNoWake: hasWakes && wake !== undefined && (wake?.time_ns ?? -Infinity) < from };
	return lane;
}

function isMember(finding: Finding | undefined, lane: Lane): boolean {
	return lane.coroutine > 0 && (finding?.members ?? []).some((member) => member.id === lane.coroutine && member.process === lane.process);
}

/** Returns the name in the engine's words for a coroutine: "ask" of "coroutine 2 (ask)"; "": it has none. */
function nameIn(words: string): string {
	return /\((.*)\)$/.exec(words)?.[1] ?? "";
}

/** Returns the lane of who did a step: of the coroutine, else of the thread. */
function laneOfStep(finding: Finding | undefined, { coroutine, thread, by }: Step): Lane[] {
	return coroutine ? [coroutineLane(finding?.process ?? 1, coroutine, nameIn(by))] : thread ? [threadLane(thread)] : [];
}

function laneOfPicture({ kind, name, process, coroutine, thread, object }: PictureLane): Lane | null {
	if (kind === "coroutine")
		return coroutine ? coroutineLane(process ?? 1, coroutine, nameIn(name)) : null;
	if (kind === "thread")
		return thread ? threadLane(thread) : null;
	return isHanded(BigInt(object)) ? objectLane(process ?? 1, BigInt(object).toString(), name) : null;
}

/** Kinds of resources that are adjacent in their table, from locks to semaphores, as conditions on their handles. */
const HANDED = ["lock", "semaphore"].map((name, index) => `object${index ? "<" : ">="}${BigInt(RESOURCES.indexOf(name) + index) << 56n}`);

function isHanded(handle: bigint): boolean {
	const kind = Number(handle >> 56n);
	return kind >= RESOURCES.indexOf("lock") && kind <= RESOURCES.indexOf("semaphore");
}

/** Asks for the objects that coroutines hand to each other, those with the most waiting first. */
async function askObjects(offset: number, limit = PAGE): Promise<{ lanes: Lane[]; total: number }> {
	const rows = await askRows("select", { table: "objects", columns: "process,object,name", where: HANDED, order: "-waited_ns", offset, limit });
	return { lanes: Array.from({ length: rows.nrRows }, (_, row) => objectLane(rows.number(0, row), rows.digits(1, row), rows.word(1, row), rows.word(2, row))), total: rows.nrMatched };
}

/** Asks for the members after those that the report names. */
async function askMembers(finding: number, offset: number): Promise<Lane[]> {
	const rows = await askRows("select", {
		table: "finding_coroutines", columns: "process,coroutine,name", where: [`finding=${finding + 1}`], offset, limit: PAGE });
	return Array.from({ length: rows.nrRows }, (_, row) => coroutineLane(rows.number(0, row), rows.number(1, row), rows.word(2, row)));
}

/** How one grouping asks for its groups, and what their titles are. */
interface Way {
	columns: readonly string[];
	title(rows: Rows, row: number): string;
	lane?(rows: Rows, row: number): Lane | null;
}

async function wayOf(grouping: Grouping): Promise<Way | null> {
	if (grouping === "start")
		return { columns: ["spawn_site"], title: (rows, row) => placeOf(rows.number(0, row) || null) || "started where nobody saw it" };
	if (grouping === "worker")
		return {
			columns: ["thread"], title: (rows, row) => threadName(rows.number(0, row) || null) || "ran on no thread yet",
			lane: (rows, row) => rows.number(0, row) ? threadLane(rows.number(0, row)) : null,
		};
	if (grouping === "parent")
		return {
			columns: ["process", "parent"],
			title: (rows, row) => rows.number(1, row) ? `started by coroutine ${rows.number(1, row)}` : "started by a thread",
			lane: (rows, row) => rows.number(1, row) ? coroutineLane(rows.number(0, row), rows.number(1, row)) : null,
		};
	if (grouping !== "task")
		return null;
	const names = new Map<string, string>();
	const tasks = await askRows("select", { table: "tasks", columns: "process,task,name", limit: 65536 });
	for (let row = 0; row < tasks.nrRows; row++)
		names.set(`${tasks.number(0, row)}.${tasks.number(1, row)}`, tasks.word(2, row));
	return {
		columns: ["process", "task"],
		title: (rows, row) => rows.number(1, row)
			? `task ${rows.number(1, row)} ${names.get(`${rows.number(0, row)}.${rows.number(1, row)}`) ?? ""}`.trim() : "work for no task",
	};
}

// ---------------------------------------------------------------- all lanes

/** All lanes in their order, by row number. */
export class Lanes {
	private groups: Group[] = [];
	/** The row of each group's head. */
	private starts: number[] = [];
	private total = 0;
	private asked: Lane[] = [];
	private readonly hidden: Set<string>;
	private rest: Group[] = [];
	private objects: Group[] = [];
	private readonly isSmall = window.innerWidth <= 600;
	/** Resolved when the groups are known, or could not be loaded. */
	readonly ready: Promise<void>;

	constructor(private readonly trace: Trace, readonly grouping: Grouping, private readonly finding: number,
		private readonly arrangement: Arrangement, private readonly changed: () => void) {
		this.hidden = new Set(arrangement.hidden);
		this.lay();
		this.ready = this.load().then(() => this.laid());
	}

	private laid = (): void => {
		this.lay();
		this.changed();
	};

	private group(key: string, title: string, members: Members, isOpen: boolean, lane: Lane | null = null): Group {
		return { key, title, isCounted: key.startsWith("f:"), lane, members, isOpen: isOpen !== this.arrangement.folded.includes(key) };
	}

	private paged(given: Arguments, total: number): Members {
		return new Paged((offset) => askCoroutines(given, offset), total, this.hidden, this.laid);
	}

	private shown(lanes: readonly Lane[]): Members {
		return new Fixed(lanes.filter((lane) => !this.hidden.has(lane.key)));
	}

	private async load(): Promise<void> {
		const { grouping, trace } = this, { findings, quality } = trace.report;
		if (grouping === "workers")
			return;
		const { total } = await askObjects(0, 1);
		if (total)
			this.objects = [this.group("objects", "locks and channels",
				new Paged(async (offset) => (await askObjects(offset)).lanes, total, this.hidden, this.laid), total <= this.openObjects)];
		const way = await wayOf(grouping);
		if (way)
			this.rest = await this.groupsBy(way);
		else if (grouping === "finding" && findings.length)
			this.rest = [...await this.descriptors(findings[this.finding]), ...this.actors(findings[this.finding]),
				...findings.map((finding, index) => this.ofFinding(index, finding.members))];
		else
			this.rest = [this.group("all", grouping === "waiting" ? "coroutines, the longest wait first" : "coroutines, as they came",
				this.paged({ order: grouping === "waiting" ? "-longest_wait_ns" : "created_ns" }, quality.coroutines), true)];
	}

	private get openWorkers(): number {
		return this.isSmall ? OPEN_WORKERS_SMALL : OPEN_WORKERS;
	}

	private get openObjects(): number {
		return this.isSmall ? OPEN_OBJECTS_SMALL : OPEN_OBJECTS;
	}

	/** Is the lane in a group that is open and stands above the finding's? */
	private isAbove({ thread, object }: Lane): boolean {
		const { workers } = this.trace.report.statistics;
		return thread ? workers.length <= this.openWorkers && workers.some((one) => one.thread === thread) : object !== "" && this.objects.some(({ isOpen }) => isOpen);
	}

	private async descriptors(finding: Finding | undefined): Promise<Group[]> {
		const lanes = await askDescriptors(finding).catch(() => []);
		return lanes.length ? [this.group("descriptors", "descriptors", this.shown(lanes), true)] : [];
	}

	/**
	 * All that took part in the finding and would not be seen otherwise: coroutines that are no members, or are far down
	 * among them, and threads and objects whose groups are folded. Those that did the step to look at first come first.
	 */
	private actors(finding: Finding | undefined): Group[] {
		const near = (finding?.members ?? []).slice(0, MEMBERS_SEEN).map((member) => memberLane(member).key);
		const ofPicture = (finding?.picture?.lanes ?? []).flatMap((lane) => laneOfPicture(lane) ?? []);
		const ofSteps = (finding?.steps ?? []).flatMap((step) => laneOfStep(finding, step));
		const acted = new Set(ofSteps.map((lane) => lane.key)), lanes = new Map<string, Lane>();
		for (const lane of [...ofPicture, ...ofSteps])
			if (!near.includes(lane.key) && !this.isAbove(lane) && (acted.has(lane.key) || !isMember(finding, lane)) && !lanes.has(lane.key))
				lanes.set(lane.key, lane);
		const cause = new Set((finding?.steps ?? []).flatMap((step) => step.site && (step.site === finding?.look_first || step.site === finding?.cause_site) ? laneOfStep(finding, step) : []).map((lane) => lane.key));
		const [first, others] = [true, false].map((isCause) => [...lanes.values()].filter((lane) => cause.has(lane.key) === isCause)) as [Lane[], Lane[]];
		return [...first.length ? [this.group("cause", "look here first", this.shown(first), true)] : [],
			...others.length ? [this.group("actors", "also took part", this.shown(others), true)] : []];
	}

	private ofFinding(index: number, first: readonly Member[]): Group {
		const finding = this.trace.report.findings[index]!, total = Math.max(finding.coroutines, first.length);
		const lanes = first.map((member) => memberLane(member, finding.picture?.has_wakes));
		const members = total <= first.length ? this.shown(lanes)
			: new Paged(async (offset) => offset ? askMembers(index, offset) : lanes.slice(0, PAGE), total, this.hidden, this.laid);
		return this.group(`f:${finding.address}`, capital(withoutFolders(finding.title)), members, index === this.finding);
	}

	private async groupsBy(way: Way): Promise<Group[]> {
		const rows = await askRows("groups", { table: "coroutines", columns: way.columns.join(","), limit: GROUPS_MAX });
		return Array.from({ length: rows.nrRows }, (_, row) => {
			const values = way.columns.map((_name, column) => rows.number(column, row) || 0), total = rows.number(way.columns.length, row);
			const where = way.columns.map((name, column) => `${name}=${values[column] || ""}`);
			return this.group(`${this.grouping[0]}:${values.join(".")}`, way.title(rows, row), this.paged({ where, order: "created_ns" }, total),
				(total <= OPEN_LANES && row < OPEN_GROUPS) || rows.nrRows === 1, way.lane?.(rows, row) ?? null);
		});
	}

	/** Puts the groups one below the other. */
	private lay(): void {
		const pinned = this.arrangement.pinned.flatMap((key) => laneOf(key) ?? []), workers = this.trace.report.statistics.workers;
		const open = this.groups;
		this.groups = [
			...pinned.length ? [this.group("pinned", "pinned", new Fixed(pinned.map((lane) => this.known(lane))), true)] : [],
			...this.asked.length ? [this.group("asked", "requested", this.shown(this.asked), true)] : [],
			...this.grouping === "worker" || !workers.length ? [] : [
				this.group("workers", "workers", this.shown(inOrder(workers.map((one) => threadLane(one.thread)))), workers.length <= this.openWorkers || this.grouping === "workers")],
			...this.objects, ...this.rest,
		];
		for (const group of this.groups)
			group.isOpen = open.find((one) => one.key === group.key)?.isOpen ?? group.isOpen;
		this.countRows();
	}

	private countRows(): void {
		this.starts = [];
		this.total = 0;
		for (const group of this.groups) {
			this.starts.push(this.total);
			this.total += 1 + (group.isOpen ? group.members.count : 0);
		}
	}

	/** Returns the lane with the name that another group knows. */
	private known(lane: Lane): Lane {
		for (const { members } of [...this.objects, ...this.rest]) {
			const index = members.indexOf(lane.key);
			if (index >= 0)
				return members.at(index) ?? lane;
		}
		return lane;
	}

	get count(): number {
		return this.total;
	}

	get isAsking(): boolean {
		return this.groups.some((group) => group.members.isAsking);
	}

	get nrLanes(): number {
		return this.groups.reduce((sum, group) => sum + group.members.count, 0);
	}

	/** Returns the number of the group to which a row belongs. */
	private groupAt(index: number): number {
		let low = 0, high = this.groups.length;
		while (high - low > 1) {
			const middle = (low + high) >> 1;
			if (this.starts[middle]! <= index)
				low = middle;
			else
				high = middle;
		}
		return low;
	}

	/** Returns the row of the head of a row's group. */
	headOf(index: number): number {
		return this.starts[this.groupAt(index)] ?? 0;
	}

	at(index: number): Row | null {
		const low = this.groupAt(index), group = this.groups[low];
		if (!group || index < 0 || index >= this.total)
			return null;
		const within = index - this.starts[low]! - 1;
		return { group, isHead: within < 0, lane: within < 0 ? group.lane : group.members.at(within) };
	}

	/** Returns the row of a lane; -1: no open group is known to have the lane. */
	indexOf(key: string): number {
		for (const [number, group] of this.groups.entries()) {
			const found = group.isOpen ? group.members.indexOf(key) : -1;
			if (found >= 0)
				return this.starts[number]! + 1 + found;
			if (group.lane?.key === key)
				return this.starts[number]!;
		}
		return -1;
	}

	/** Returns the row of a lane, and gives the lane a row if it has none; -1: there is no such lane. */
	find(key: string): number {
		const found = this.indexOf(key), lane = laneOf(key);
		if (found >= 0 || !lane)
			return found;
		this.hidden.delete(key);
		this.arrangement.hidden = this.arrangement.hidden.filter((one) => one !== key);
		this.asked = [...this.asked.filter((one) => one.key !== key), lane].slice(-20);
		this.lay();
		return this.indexOf(key);
	}

	/** Folds an open group, opens a folded one. */
	toggle(group: Group): void {
		const { folded } = this.arrangement;
		group.isOpen = !group.isOpen;
		this.arrangement.folded = folded.includes(group.key) ? folded.filter((key) => key !== group.key) : [...folded, group.key].slice(-40);
		this.countRows();
		this.changed();
	}

	isPinned(key: string): boolean {
		return this.arrangement.pinned.includes(key);
	}

	/** Pins a lane to the top, at this place among the pinned lanes; null unpins the lane. */
	pin(key: string, place: number | null): void {
		const others = this.arrangement.pinned.filter((one) => one !== key);
		if (place !== null)
			others.splice(Math.max(0, Math.min(others.length, place)), 0, key);
		this.arrangement.pinned = others.slice(0, 40);
		this.laid();
	}

	/** Moves a lane one place up (-1) or down among the pinned lanes. */
	movePinned(key: string, by: number): void {
		const at = this.arrangement.pinned.indexOf(key);
		this.pin(key, at < 0 ? this.arrangement.pinned.length : at + by);
	}
}

export function tellOf(row: Row): string {
	return row.isHead ? `${row.group.title}: ${many(row.group.members.count, "lane")}` : row.lane?.name ?? "";
}
