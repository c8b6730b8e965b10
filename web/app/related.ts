// SPDX-License-Identifier: MIT
//
// How one coroutine relates to others: the tree of spawns, the resources that it waited for and holds, its times
// compared with those of its peers. Each part is a table, which also gives the SQL statement that prints the same in a
// terminal.

import { addressOf } from "./address";
import { askRows } from "./carrier";
import { fill, h, type Child } from "./dom";
import { count, duration, many, moment, spent } from "./say";
import { STATES, stateWord } from "./states";
import { listed, queryOf } from "./table";
import { briefPlaceLink, coroutineLink } from "./trace";

/** A coroutine of a process: an id is unique within its process only. */
export interface Subject {
	process: number;
	id: number;
}

const SHOWN = 50;

// ---------------------------------------------------------------- the tree

const GENERATIONS = 50;
/** Deeper rows are not indented further: a narrow window has no room. */
const STEPS_IN = 8;
const KIN = ["coroutine", "name", "state", "created_ns", "spawn_site", "parent"] as const;

interface Kin {
	id: number; name: string; state: string; created: number; site: number; parent: number;
}

async function askKin(process: number, condition: string): Promise<{ kin: Kin[]; nr: number }> {
	const rows = await askRows("select", { table: "coroutines", columns: KIN.join(","), where: [`process=${process}`, condition], order: "coroutine", limit: SHOWN });
	const kin = Array.from({ length: rows.nrRows }, (_, row): Kin => ({
		id: rows.number(0, row), name: rows.word(1, row), state: STATES[rows.number(2, row)] ?? "", created: rows.number(3, row),
		site: rows.number(4, row) || 0, parent: rows.number(5, row) || 0,
	}));
	return { kin, nr: rows.nrMatched };
}

/** Asks for the coroutine and its ancestors, the root first. */
async function askLine({ process, id }: Subject): Promise<Kin[]> {
	const line: Kin[] = [];
	for (let next = id; next && line.length <= GENERATIONS; next = line[0]!.parent) {
		const [one] = (await askKin(process, `coroutine=${next}`)).kin;
		if (!one)
			break;
		line.unshift(one);
	}
	return line;
}

function sayRoot(root: Kin, process: number): Child {
	if (root.parent)
		return ["Further up: ", coroutineLink(process, root.parent), "."];
	return Number.isNaN(root.created) ? `Coroutine ${root.id} was first seen in the middle of its life: what started it is not known.`
		: `A thread started coroutine ${root.id}.`;
}

function kinRow(one: Kin, { process, id }: Subject, depth: number): Child[] {
	const who = h("span", { class: "kin" }, one.id === id ? h("strong", null, `coroutine ${id}`) : coroutineLink(process, one.id));
	who.style.marginInlineStart = `${Math.min(depth, STEPS_IN)}rem`;
	return [who, one.name, stateWord(one.state), moment(one.created), briefPlaceLink(one.site)];
}

export async function showTree(into: HTMLElement, subject: Subject): Promise<void> {
	const { process, id } = subject, [line, started] = await Promise.all([askLine(subject), askKin(process, `parent=${id}`)]);
	if (!line.length)
		return;
	const left = started.nr > SHOWN ? `, the first ${SHOWN} of them here` : "";
	fill(into, h("h3", null, "Its tree"),
		h("p", { class: "quiet" }, sayRoot(line[0]!, process), ` Coroutine ${id} started ${started.nr ? many(started.nr, "coroutine") : "none"}${left}.`),
		listed({
			label: "Its tree", heads: ["coroutine", "name", "state", "started", "at"], isNumber: (column) => column === 3,
			rows: [...line.map((one, depth) => kinRow(one, subject, depth)), ...started.kin.map((one) => kinRow(one, subject, line.length))],
			command: queryOf(`SELECT coroutine, name, state, created_ns, spawn_place FROM coroutines WHERE process = ${process} AND ` +
				`(parent = ${id} OR coroutine IN (${line.map((one) => one.id).join(", ")})) ORDER BY coroutine`),
		}));
}

// ---------------------------------------------------------------- its objects

const WAITS = 65536;

interface Awaited {
	object: string; site: number; nr: number; total: number; longest: number; goesOn: boolean;
}

function objectLink(words: string, name = ""): Child {
	return words ? h("a", { href: addressOf("objects", { text: words }) }, name || words) : h("span", { class: "quiet" }, "not recorded");
}

/** Asks for the coroutine's waits, grouped by resource and place, the longest first; and for the number of groups. */
async function askAwaited({ process, id }: Subject): Promise<{ groups: Awaited[]; nr: number; nrRead: number }> {
	const rows = await askRows("select", {
		table: "waits", columns: "object,site,duration_ns,is_open", where: [`process=${process}`, `coroutine=${id}`], order: "-duration_ns", limit: WAITS,
	});
	const groups = new Map<string, Awaited>();
	for (let row = 0; row < rows.nrRows; row++) {
		const object = rows.word(0, row), site = rows.number(1, row) || 0, took = rows.number(2, row) || 0, key = `${site} ${object}`;
		const group = groups.get(key) ?? { object, site, nr: 0, total: 0, longest: 0, goesOn: false };
		groups.set(key, {
			...group, nr: group.nr + 1, total: group.total + took, longest: Math.max(group.longest, took), goesOn: group.goesOn || rows.number(3, row) === 1,
		});
	}
	return { groups: [...groups.values()].sort((one, other) => other.total - one.total), nr: rows.nrMatched, nrRead: rows.nrRows };
}

async function awaited(subject: Subject): Promise<Child> {
	const { groups, nr, nrRead } = await askAwaited(subject), { process, id } = subject;
	if (!nr)
		return h("p", { class: "quiet" }, "No wait was seen.");
	const bounds = [nr > nrRead ? `the longest ${count(nrRead)} of them here` : "", groups.length > SHOWN ? `${SHOWN} of ${count(groups.length)} rows shown` : ""];
	return [h("p", { class: "quiet" }, [many(nr, "wait"), ...bounds.filter((one) => one)].join(", "), "."), listed({
		label: "What it waited for", heads: ["waited for", "at", "waits", "all together", "longest", "goes on"], isNumber: (column) => column >= 2 && column <= 4,
		rows: groups.slice(0, SHOWN).map((one) => [objectLink(one.object), briefPlaceLink(one.site), count(one.nr), duration(one.total), duration(one.longest),
			one.goesOn ? "yes" : ""]),
		command: queryOf("SELECT object, place, count(*) AS waits, duration(sum(duration_ns)) AS waited, duration(max(duration_ns)) AS longest, " +
			`max(is_open) AS goes_on FROM waits WHERE process = ${process} AND coroutine = ${id} GROUP BY object, site ORDER BY sum(duration_ns) DESC`),
	})];
}

async function held({ process, id }: Subject, until: number): Promise<Child> {
	const rows = await askRows("select", {
		table: "objects", columns: "object,name,owner_site,owned_ns,nr_waiting", where: [`process=${process}`, `owner=${id}`], order: "owned_ns", limit: SHOWN,
	});
	if (!rows.nrRows)
		return h("p", { class: "quiet" }, "Nothing is held at the end.");
	return [rows.nrMatched > SHOWN ? h("p", { class: "quiet" }, `${SHOWN} of ${count(rows.nrMatched)} shown, the longest held first.`) : null, listed({
		label: "What it holds", heads: ["holds", "taken at", "since", "for", "wait for it"], isNumber: (column) => column >= 2,
		rows: Array.from({ length: rows.nrRows }, (_, row) => [objectLink(rows.word(0, row), rows.word(1, row)), briefPlaceLink(rows.number(2, row)),
			moment(rows.number(3, row)), duration(until - rows.number(3, row)), count(rows.number(4, row))]),
		command: queryOf("SELECT object, name, owner_place, owned_ns, nr_waiting FROM objects " +
			`WHERE process = ${process} AND owner = ${id} ORDER BY owned_ns`),
	})];
}

export async function showOwnObjects(into: HTMLElement, subject: Subject, until: number): Promise<void> {
	const [waits, holds] = await Promise.all([awaited(subject), held(subject, until)]);
	fill(into, h("h3", null, "What it waited for"), waits, h("h3", null, "What it holds"), holds);
}

// ---------------------------------------------------------------- its peers

/** Peers run the same function, or, if the function is not known, were started at the same place. */
export interface Peers {
	column: "function_site" | "spawn_site";
	site: number;
}

export const COMPARED = ["running_ns", "ready_ns", "waiting_ns", "longest_wait_ns", "longest_delay_ns"] as const;

interface Compared {
	name: string; own: number; nr: number; median: number; p99: number;
}

/** A percentile is the smallest time that this share of all coroutines does not exceed. */
async function compare(column: string, own: number, where: readonly string[]): Promise<Compared> {
	const given = { table: "coroutines", columns: column, where: [...where, `${column}>=0`], limit: 1 }, { nrMatched: nr } = await askRows("select", given);
	const at = async (share: number): Promise<number> => nr
		? (await askRows("select", { ...given, order: column, offset: Math.max(0, Math.ceil(nr * share) - 1) })).number(0, 0) : NaN;
	const [median, p99] = await Promise.all([at(0.5), at(0.99)]);
	return { name: column.replace("_ns", "").replace("_", " "), own, nr, median, p99 };
}

export async function showPeers(into: HTMLElement, { process, id }: Subject, { column, site }: Peers, own: Record<string, number>): Promise<void> {
	const where = [`process=${process}`, `${column}=${site}`, `coroutine!=${id}`];
	const times = await Promise.all(COMPARED.map((name) => compare(name, own[name]!, where))), nr = Math.max(...times.map((one) => one.nr));
	if (!nr)
		return;
	const above = times.filter((one) => one.own > one.p99).map((one) => one.name);
	fill(into, h("h3", null, `Against its ${many(nr, "peer")} ${column === "function_site" ? "of the same function" : "started at the same place"}`),
		h("p", { class: "quiet" }, above.length ? `More than the p99 of its peers: ${above.join(", ")}.` : "No time is more than the p99 of its peers."), listed({
			label: "Peers", heads: ["time", `coroutine ${id}`, "median of peers", "p99 of peers"], isNumber: (at) => at > 0,
			rows: times.map((one) => [one.name, spent(one.own), spent(one.median), spent(one.p99)]),
			command: queryOf(`SELECT coroutine = ${id} AS is_it, ${COMPARED.map((name) => `duration(p50(${name})), duration(p99(${name}))`).join(", ")} ` +
				`FROM coroutines WHERE process = ${process} AND ${column} = ${site} GROUP BY is_it ORDER BY is_it DESC`),
		}));
}
