// SPDX-License-Identifier: MIT
//
// The source at a place: the lines around it if the server can read them, "path:line" to be copied, and a link that
// opens an editor. The reader chooses the address that opens an editor; the browser keeps this choice.

import { askRows, carrierInUse, hasToken, Served, type Source } from "./carrier";
import { copyButton, fill, h, type Child } from "./dom";

const EDITOR = "vscode://file{path}:{line}";

function editor(): string {
	return localStorage.getItem("editor") || EDITOR;
}

export async function askSource(site: number): Promise<Source | null> {
	const carrier = carrierInUse();
	return carrier instanceof Served && hasToken() ? carrier.source(site) : null;
}

export interface Site {
	file: string;
	line: number;
	/** The functions into which the place was inlined. */
	callers: string;
}

export async function askSite(site: number): Promise<Site> {
	const rows = await askRows("select", { table: "sites", columns: "file,line,callers", where: [`site=${site}`], limit: 1 });
	return rows.nrRows ? { file: rows.word(0, 0), line: rows.number(1, 0) || 0, callers: rows.word(2, 0) } : { file: "", line: 0, callers: "" };
}

/** Returns the lines, each with its number; the line of the place is marked. */
export function linesOf({ first, line, lines }: Source): HTMLElement {
	return h("pre", { class: "source", tabindex: 0, "aria-label": "Source" }, lines.map((text, index) => h("span", { class: first + index === line ? "here" : undefined },
		h("span", { class: "nr", "aria-hidden": "true" }, String(first + index).padStart(String(first + lines.length).length)), text || " ")));
}

/** Fills an address template. Only addresses that open another program are accepted; "": refused. */
function addressIn(template: string, { file, line }: Site): string {
	const address = template.replace("{path}", encodeURI(file)).replace("{line}", String(line));
	return /^[a-z][a-z0-9+.-]*:/i.test(address) && !/^(javascript|data|blob|file|https?):/i.test(address) ? address : "";
}

function ways(site: Site): Child {
	const link = h("a", { class: "button small", id: "open-editor" }, "Open in an editor"), aim = (): void => {
		const address = addressIn(editor(), site);
		link.hidden = !address;
		link.setAttribute("href", address);
	};
	aim();
	return [copyButton("Copy path:line", () => `${site.file}:${site.line}`), " ", link, h("details", { class: "editor" }, h("summary", null, "which editor"),
		h("label", null, "address ", h("input", { id: "editor", size: 40, value: editor(), change: (event: Event) => {
			localStorage.setItem("editor", (event.target as HTMLInputElement).value);
			aim();
		} })))];
}

/** A compiler writes a relative name as seen from the folder of the build; the steps up from there help nobody. */
function withoutStepsUp(file: string): string {
	return file.replace(/^(\.{1,2}\/)+/, "");
}

/** Says where the server looked (H-25). */
function sayMissing(file: string): string {
	return `The server found no text file ${file} that it can read${file.startsWith("/") ? "" : `: it looked for ${withoutStepsUp(file)} in its own folder and in that of the program, and in all folders above`}.`;
}

/** Shows the source and its links on the screen of a place. */
export async function showSource(into: HTMLElement, number: number): Promise<void> {
	const [asked, source] = await Promise.all([askSite(number), askSource(number)]), site = { ...asked, file: source?.path ?? withoutStepsUp(asked.file) };
	if (!site.file || !site.line)
		return;
	const told = source ? linesOf(source) : carrierInUse().isServed && hasToken() ? h("p", { class: "quiet", id: "no-source" }, sayMissing(asked.file)) : null;
	fill(into, h("p", { class: "quiet", id: "source-path" }, `${site.file}:${site.line}`), site.callers ? h("p", { class: "quiet" }, `Inlined into ${site.callers}`) : null, told, h("div", { class: "actions" }, ways(site)));
}
