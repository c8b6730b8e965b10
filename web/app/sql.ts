// SPDX-License-Identifier: MIT
//
// SQL: with the cookbook, and the answer as a table or a plot. A server executes statements, or the reader of a page
// that is a single file. Where neither does, the screen shows the command that does.

import { note, viewInUse } from "./address";
import { learnTypes, sayCell, showCell } from "./answered";
import { askJson, carrierInUse, hasToken, Refusal, Served, traceFileInCommands } from "./carrier";
import { copyButton, fill, h, type Child } from "./dom";
import { numericColumns, plot, type Cell } from "./plot";
import { count, duration, many } from "./say";
import type { Trace } from "./trace";

interface Cookbook {
	recipes: { question: string; sql: string }[];
	tables: { name: string; meaning: string; columns: string[] }[];
}

export interface Answer {
	columns: string[];
	rows: Cell[][];
	has_more: boolean;
	took_ns: number;
}

const ROW_HEIGHT = 30;

/** Only the rows on the screen exist as elements. */
function table(trace: Trace, answer: Answer): HTMLElement {
	const isNumber = answer.columns.map((_, column) => answer.rows.some((row) => typeof row[column] === "number"));
	const body = h("tbody", null), above = h("div", null), below = h("div", null);
	const draw = (): void => {
		const first = Math.max(0, Math.floor(scroller.scrollTop / ROW_HEIGHT) - 2), end = Math.min(answer.rows.length, first + Math.ceil((scroller.clientHeight || 600) / ROW_HEIGHT) + 6);
		above.style.height = `${first * ROW_HEIGHT}px`;
		below.style.height = `${(answer.rows.length - end) * ROW_HEIGHT}px`;
		fill(body, answer.rows.slice(first, end).map((row, at) => h("tr", { "aria-rowindex": first + at + 2 },
			row.map((cell, column) => h("td", { class: isNumber[column] ? "number" : undefined, title: sayCell(cell) }, showCell(trace, answer.columns, row, column))))));
	};
	const scroller = h("div", { class: "virtual answer", tabindex: 0, role: "region", "aria-label": "Answer", scroll: draw }, above,
		h("table", { "aria-rowcount": answer.rows.length + 1 }, h("thead", null, h("tr", null,
			answer.columns.map((name, column) => h("th", { scope: "col", class: isNumber[column] ? "number" : undefined }, name)))), body), below);
	new ResizeObserver(draw).observe(scroller);
	draw();
	return scroller;
}

function tabs(answer: Answer): string {
	const safe = (text: string): string => text.replace(/[\t\r\n]/g, " ");
	return [answer.columns, ...answer.rows.map((row) => row.map(sayCell))].map((row) => row.map(safe).join("\t")).join("\n");
}

/** Shows a plot if there is a number to plot; the reader can choose the columns. */
function plotOf(answer: Answer): Child {
	const numeric = numericColumns(answer.columns, answer.rows), drawn = h("div", null);
	if (!numeric.length || answer.rows.length < 2)
		return null;
	let x = 0, y = numeric.find((column) => column !== 0) ?? numeric[0]!;
	const draw = (): void => fill(drawn, plot(answer.rows, x, y));
	const choose = (id: string, words: string, columns: readonly number[], chosen: number, change: (column: number) => void): HTMLElement =>
		h("label", null, `${words} `, h("select", { id, change: (event: Event) => { change(Number((event.target as HTMLSelectElement).value)); draw(); } },
			columns.map((column) => h("option", { value: column, selected: column === chosen }, answer.columns[column]!))));
	draw();
	return h("details", { class: "plot-of" }, h("summary", null, "Plot"), h("div", { class: "toolbar" }, choose("plot-y", "of", numeric, y, (column) => { y = column; }),
		choose("plot-x", "over", answer.columns.map((_, column) => column), x, (column) => { x = column; }),
		copyButton("Copy as SVG", () => drawn.querySelector("svg")?.outerHTML ?? "")), drawn);
}

function tell(trace: Trace, answer: Answer): Child {
	return [h("p", { role: "status", id: "answered" }, `${many(answer.rows.length, "row")} in ${duration(answer.took_ns)}`,
		answer.has_more ? "; there are more, which the command prints" : ""), plotOf(answer), table(trace, answer),
	h("p", { class: "actions" }, copyButton("Copy as TSV", () => tabs(answer)))];
}

/** Shows what failed, and where: the line of the statement with a mark below the error. */
function tellFailure(failure: Error, sql: string): HTMLElement {
	const offset = failure instanceof Refusal ? failure.offset : undefined;
	if (offset === undefined)
		return h("p", { role: "alert" }, failure.message);
	const before = new TextDecoder().decode(new TextEncoder().encode(sql).slice(0, offset)), lines = before.split("\n");
	const line = sql.split("\n")[lines.length - 1] ?? "", at = lines[lines.length - 1]!.length;
	return h("div", { role: "alert" }, h("p", null, `${failure.message}, in line ${lines.length}, column ${at + 1}:`), h("pre", null, `${line}\n${" ".repeat(at)}^`));
}

function commandOf(sql: string): string {
	return `corotracer query ${traceFileInCommands()} '${sql.replace(/'/g, "'\\''")}'`;
}

function tablesOf(cookbook: Cookbook): HTMLElement {
	return h("details", null, h("summary", null, `Tables (${count(cookbook.tables.length)})`),
		h("dl", null, cookbook.tables.map((one) => [h("dt", null, h("code", null, one.name)), h("dd", null, one.meaning, h("br", null), h("span", { class: "quiet" }, one.columns.join(", ")))])));
}

/** Why no statement is answered here; null: statements are answered. A page that is a file may have no SQLite. */
async function whyNot(): Promise<string | null> {
	if (!carrierInUse().isServed)
		return carrierInUse().query("SELECT 1", 0).then(() => null, (failure: Error) => `${failure.message}. This command asks the trace of which the page was made:`);
	return hasToken() ? null : "SQL needs the token: open the address that corotracer printed when it started. Without the token, this command asks the same:";
}

export function showSql(into: HTMLElement, trace: Trace): () => void {
	const found = h("div", null), command = h("code", { id: "sql-command" }), asking = h("div", null), recipes = h("select", { id: "recipe" }, h("option", { value: "" }, "choose one"));
	const text = h("textarea", { id: "sql", rows: 6, spellcheck: "false", "aria-label": "SQL", input: () => changed(), keydown: (event: KeyboardEvent) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
			event.preventDefault();
			void run();
		}
	} });
	const begin = h("button", { id: "run-sql", click: () => void run() }, "Ask (Ctrl+Enter)"), cancel = h("button", { id: "cancel-sql", hidden: true, click: () => void stop() }, "Break off");
	const learning = learnTypes().catch(() => undefined);
	let number = 0, isAsking = false, isRefused = false;
	const changed = (): void => {
		note({ sql: text.value });
		command.textContent = commandOf(text.value);
	};
	/* The reader in a page answers nothing else meanwhile, and ends a long statement itself. */
	const stop = async (): Promise<void> => {
		const carrier = carrierInUse(), stopped = number;
		/* The order may overtake the statement. */
		while (carrier instanceof Served && isAsking && number === stopped && !await carrier.stop(stopped).catch(() => true))
			;
	};
	const setAsking = (is: boolean): void => {
		isAsking = is;
		cancel.hidden = !is || !carrierInUse().isServed;
	};
	const run = async (): Promise<void> => {
		const sql = text.value;
		if (!sql.trim() || isRefused || isAsking)
			return;
		number = Math.floor(Math.random() * 2 ** 52) + 1;
		setAsking(true);
		fill(found, h("p", { class: "quiet", role: "status" }, "asking ..."));
		try {
			const [answer] = await Promise.all([carrierInUse().query<Answer>(sql, number), learning]);
			fill(found, tell(trace, answer));
		} catch (failure) {
			fill(found, tellFailure(failure as Error, sql));
		}
		setAsking(false);
	};
	const refuse = (why: string): void => {
		isRefused = true;
		fill(asking, h("p", { id: "sql-refused" }, why));
		prompt.hidden = true;
	};
	text.value = viewInUse().arguments.get("sql") ?? "SELECT place, count(*) AS waits, max(duration_ns) AS longest_ns\nFROM waits GROUP BY place ORDER BY longest_ns DESC";
	command.textContent = commandOf(text.value);
	const tables = h("div", null), prompt = h("span", null, "In a terminal: ");
	fill(asking, h("p", { class: "actions" }, begin, " ", cancel));
	void whyNot().then((why) => { if (why) refuse(why); });
	fill(into, h("h2", null, "SQL"), h("div", { class: "toolbar" }, h("label", null, "cookbook ", recipes)), text, asking,
		h("p", { class: "quiet" }, prompt, command, " ", copyButton("Copy", () => commandOf(text.value))), found, tables);
	void askJson<Cookbook>("cookbook").then((cookbook) => {
		recipes.append(...cookbook.recipes.map((one, at) => h("option", { value: at }, one.question)));
		recipes.addEventListener("change", () => {
			text.value = cookbook.recipes[Number(recipes.value)]?.sql ?? text.value;
			changed();
			void run();
		});
		fill(tables, tablesOf(cookbook));
	}).catch((failure: Error) => fill(found, h("p", { role: "alert" }, failure.message)));
	return () => { if (isAsking) void stop(); };
}
