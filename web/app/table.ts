// SPDX-License-Identifier: MIT
//
// A table over any number of rows: only the rows on the screen are requested.

import { type Arguments, askRows, traceFileInCommands } from "./carrier";
import { fill, h, copyButton, type Child } from "./dom";
import type { Rows } from "./rows";
import { count, many } from "./say";

const ROW_HEIGHT = 30;
/** The height of the heads, and of the bar that scrolls the table sideways. */
const ROOM_OF_HEAD = 56;
const PAGE = 100;
/** At most this many rows are copied. */
const COPIED_MAX = 10000;
/** Browsers do not draw an element that is much higher. */
const HEIGHT_MAX = 8e6;

export interface TableColumn {
	/** The name of the column in the view's table, by which the table can also be sorted. */
	name: string;
	head: string;
	isNumber?: boolean;
	cell: (rows: Rows, column: number, row: number) => Child;
}

export interface TableOptions {
	table: string;
	columns: readonly TableColumn[];
	/** Further columns that cells need, after the columns of `columns`. */
	hidden?: readonly string[];
	where: () => readonly string[];
	order: string;
	label: string;
	/** What a row is, in words for how many there are. */
	noun: string;
	onOrder?: (order: string) => void;
	onRows?: (shown: readonly { element: HTMLTableRowElement; rows: Rows; row: number }[]) => void;
}

/** A condition of a request in SQL, which fits within the double quotes of a shell. */
function conditionOf(where: string): string {
	const [, column, compare, value] = /^(\w+)(!=|<=|>=|[=<>~])(.*)$/s.exec(where) ?? [], sign = compare === "~" ? "GLOB" : compare;
	if (!value)
		return `${column} IS ${compare === "=" ? "" : "NOT "}NULL`;
	return `${column} ${sign} ${/^-?\d+$/.test(value) ? value : `'${value.replace(/'/g, "''").replace(/[\\"$`]/g, "\\$&")}'`}`;
}

/** Returns the command that executes a statement in a terminal. */
export function queryOf(statement: string): string {
	return `corotracer query ${traceFileInCommands()} "${statement}"`;
}

/** Returns the heads and the rows of a table's body as lines of tab-separated cells. */
function tabsOf(heads: readonly string[], body: HTMLElement): string {
	return [heads, ...[...body.children].map((line) => [...line.children].map((cell) => cell.textContent ?? ""))].map((cells) => cells.join("\t")).join("\n");
}

/** A table of few rows, all of which are loaded; `command` prints them in a terminal. */
export function listed({ label, heads, rows, isNumber, command }: {
	label: string; heads: readonly string[]; rows: readonly (readonly Child[])[]; isNumber: (column: number) => boolean; command: string;
}): HTMLElement {
	const kind = (column: number): string | undefined => isNumber(column) ? "number" : undefined;
	const body = h("tbody", null, rows.map((row) => h("tr", null, row.map((cell, column) => h("td", { class: kind(column) }, cell)))));
	return h("div", null, h("div", { class: "scroll few", tabindex: 0, role: "group", "aria-label": label }, h("table", { class: "listed" },
		h("thead", null, h("tr", null, heads.map((head, column) => h("th", { scope: "col", class: kind(column) }, head)))), body)),
	h("p", { class: "actions" }, copyButton("Copy as TSV", () => tabsOf(heads, body)), " ", copyButton("Copy the command", () => command)));
}

export class Table {
	readonly element: HTMLElement;
	private readonly body = h("tbody", null);
	private readonly above = h("div", null);
	private readonly below = h("div", null);
	private readonly told = h("p", { class: "quiet", role: "status" });
	private readonly scroller: HTMLElement;
	private readonly head: HTMLTableRowElement;
	private pages = new Map<number, Rows | null>();
	private total = 0;
	private generation = 0;
	private shown = "";

	constructor(private readonly options: TableOptions) {
		this.head = h("tr", null);
		this.scroller = h("div", { class: "virtual", tabindex: 0, role: "region", "aria-label": options.label, scroll: () => this.draw() },
			this.above, h("table", null, h("thead", null, this.head), this.body), this.below);
		this.element = h("div", null, this.told, this.scroller,
			h("p", { class: "actions" }, copyButton("Copy as TSV", () => this.text()), " ",
				copyButton("Copy the command", () => this.command())));
		new ResizeObserver(() => this.draw()).observe(this.scroller);
		this.drawHead();
	}

	/** Requests the rows again: conditions or the trace have changed. */
	refresh(): void {
		this.generation++;
		this.pages = new Map();
		this.shown = "";
		/* The first answer about a long trace may take seconds. A newer one replaces rows that are there. */
		this.scroller.setAttribute("aria-busy", "true");
		this.told.textContent ||= "reading ...";
		void this.load(Math.floor(this.first() / PAGE));
	}

	private names(): string {
		return [...this.options.columns.map((column) => column.name), ...this.options.hidden ?? []].join(",");
	}

	private drawHead(): void {
		const { order } = this.options;
		fill(this.head, this.options.columns.map((column) => {
			const isOrder = order.replace("-", "") === column.name;
			const direction = isOrder ? order.startsWith("-") ? "descending" : "ascending" : "none";
			return h("th", { scope: "col", "aria-sort": direction, class: column.isNumber ? "number" : undefined },
				h("button", { class: "sort", "data-key": `sort-${column.name}`, click: () => this.sort(column) }, column.head,
					h("span", { "aria-hidden": "true" }, isOrder ? order.startsWith("-") ? " ▼" : " ▲" : "")));
		}));
	}

	private sort(column: TableColumn): void {
		const { order } = this.options;
		const isOrder = order.replace("-", "") === column.name;
		this.options.order = isOrder === order.startsWith("-") && isOrder ? column.name : `-${column.name}`;
		this.options.onOrder?.(this.options.order);
		this.drawHead();
		this.scroller.scrollTop = 0;
		this.refresh();
	}

	private async load(page: number): Promise<void> {
		if (this.pages.has(page))
			return;
		const generation = this.generation;
		this.pages.set(page, null);
		const request: Arguments = {
			table: this.options.table, columns: this.names(), where: this.options.where(), order: this.options.order,
			offset: page * PAGE, limit: PAGE,
		};
		try {
			const rows = await askRows("select", request);
			if (generation !== this.generation)
				return;
			this.pages.set(page, rows);
			this.total = rows.nrMatched;
			this.scroller.style.maxHeight = `${this.total * ROW_HEIGHT + ROOM_OF_HEAD}px`;
			this.told.textContent = this.total ? many(this.total, this.options.noun) : `No ${this.options.noun} meets these conditions.`;
		} catch (failure) {
			this.told.textContent = (failure as Error).message;
		}
		this.scroller.setAttribute("aria-busy", "false");
		this.draw();
	}

	/** In a very long table, several rows share a pixel of its height. */
	private height(): number {
		return Math.min(this.total * ROW_HEIGHT, HEIGHT_MAX);
	}

	private first(): number {
		const seen = this.scroller.clientHeight || 600, span = Math.max(1, this.height() - seen);
		const last = Math.max(0, this.total - Math.floor(seen / ROW_HEIGHT) + 2);
		return Math.min(last, Math.floor(Math.min(1, this.scroller.scrollTop / span) * last));
	}

	private draw(): void {
		const seen = Math.ceil((this.scroller.clientHeight || 600) / ROW_HEIGHT) + 2;
		const first = this.total * ROW_HEIGHT > HEIGHT_MAX ? this.first() : Math.min(Math.max(0, this.total - seen),
			Math.floor(this.scroller.scrollTop / ROW_HEIGHT));
		const end = Math.min(this.total, first + seen), lines: HTMLTableRowElement[] = [];
		const shown: { element: HTMLTableRowElement; rows: Rows; row: number }[] = [];
		let key = `${this.generation}`;
		for (let row = first; row < end; row++) {
			const rows = this.pages.get(Math.floor(row / PAGE));
			if (rows === undefined)
				void this.load(Math.floor(row / PAGE));
			if (!rows || row % PAGE >= rows.nrRows)
				continue;
			key += `,${row}`;
			lines.push(this.line(rows, row % PAGE, row));
			shown.push({ element: lines[lines.length - 1]!, rows, row: row % PAGE });
		}
		if (key === this.shown)
			return;
		this.shown = key;
		const before = this.total ? Math.min(this.scroller.scrollTop, this.height() * first / this.total) : 0;
		this.above.style.height = `${before}px`;
		this.below.style.height = `${Math.max(0, this.height() - before - lines.length * ROW_HEIGHT)}px`;
		fill(this.body, lines);
		this.options.onRows?.(shown);
	}

	private line(rows: Rows, row: number, number: number): HTMLTableRowElement {
		return h("tr", { "aria-rowindex": number + 2 }, this.options.columns.map((column, index) =>
			h("td", { class: column.isNumber ? "number" : undefined }, column.cell(rows, index, row))));
	}

	/** Returns the command that prints the same rows in a terminal. */
	private command(): string {
		const { table, columns, order } = this.options, where = this.options.where().map(conditionOf).join(" AND ");
		return queryOf(`SELECT ${columns.map((column) => column.name).join(", ")} FROM ${table}${where ? ` WHERE ${where}` : ""} ` +
			`ORDER BY ${order.replace("-", "")}${order.startsWith("-") ? " DESC" : ""}`);
	}

	/** Returns all rows as text, or the first COPIED_MAX rows. */
	private async text(): Promise<string> {
		const { options } = this, lines = h("tbody", null);
		const rows = await askRows("select", { table: options.table, columns: this.names(), where: options.where(), order: options.order, limit: COPIED_MAX });
		for (let row = 0; row < rows.nrRows; row++)
			lines.append(this.line(rows, row, row));
		if (rows.nrMatched > rows.nrRows)
			this.told.textContent = `${count(rows.nrMatched)} rows; the first ${count(rows.nrRows)} were copied, and the command gives all`;
		return tabsOf(options.columns.map((column) => column.head), lines);
	}
}
