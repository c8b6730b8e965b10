// SPDX-License-Identifier: MIT
//
// The data layer. Screens ask requests of docs/spec/view.md, "select?table=waits", and get bytes; where from is the
// carrier's matter: a server, or the engine inside of a page that is a file.

import { Rows } from "./rows";
import { visible } from "./say";

export interface Carrier {
	/** The answer's bytes; a failure is an Error with one sentence. */
	ask(request: string): Promise<ArrayBuffer>;
	/** There is a recording that may go on; events tell of it. */
	readonly isServed: boolean;
}

export interface Source {
	path: string;
	line: number;
	/** The number of the first of the lines. */
	first: number;
	lines: string[];
}

/** A request that was refused, with the status of HTTP that says why. */
export class Refusal extends Error {
	/** `offset`: where in a statement of SQL, in bytes. */
	constructor(readonly status: number, sentence: string, readonly offset?: number) {
		super(sentence);
	}
}

let token = "";

/** Where the token comes from, said wherever it is missing. */
export const NEEDS_TOKEN = "Open the address that corotracer printed when it started: it ends with the token that lets you in.";

/** Keeps the token of the printed address out of the address that is shared. Returns whether the address had one. */
export function takeToken(): boolean {
	const found = /[#&]token=([0-9a-f]+)/.exec(location.hash);
	if (found) {
		token = found[1]!;
		sessionStorage.setItem("token", token);
		history.replaceState(null, "", location.pathname + location.search + location.hash.replace(found[0], "#"));
	} else {
		token = sessionStorage.getItem("token") ?? "";
	}
	return found !== null;
}

/** A token that was refused is that of an earlier start. */
export function dropToken(): void {
	token = "";
	sessionStorage.removeItem("token");
}

export function hasToken(): boolean {
	return token !== "";
}

/** The address of something of the server's that a browser asks for itself. */
export function addressOf(path: string): string {
	return token ? `${path}?token=${token}` : path;
}

/** What a refusal says. */
export async function sentenceOf(answer: Response): Promise<string> {
	try {
		return ((await answer.json()) as { error: string }).error;
	} catch {
		return `The server answers with status ${answer.status}.`;
	}
}

export class Served implements Carrier {
	readonly isServed = true;

	async ask(request: string): Promise<ArrayBuffer> {
		const answer = await fetch(`/api/v1/view/${request}`, { headers: token ? { "X-Corotracer-Token": token } : {} })
			.catch(() => { throw new Error("The server does not answer any more."); });
		if (!answer.ok)
			throw new Refusal(answer.status, await sentenceOf(answer));
		return answer.arrayBuffer();
	}

	/** Asks a statement of SQL; the number is what it is broken off by. */
	async query<T>(sql: string, number: number): Promise<T> {
		const answer = await fetch(`/api/v1/query?number=${number}`, { method: "POST", body: sql, headers: { "X-Corotracer-Token": token } })
			.catch(() => { throw new Error("The server does not answer any more."); });
		const told = await answer.text().then((text) => parseVisible<T & { error?: string; offset?: number }>(text))
			.catch(() => ({ error: `The server answers with status ${answer.status}.` })) as T & { error?: string; offset?: number };
		if (!answer.ok)
			throw new Refusal(answer.status, told.error ?? "", told.offset);
		return told;
	}

	/** The lines of the source around a place, as they are now; null: they cannot be had. */
	async source(site: number): Promise<Source | null> {
		const answer = await fetch(`/api/v1/source?site=${site}`, { headers: { "X-Corotracer-Token": token } }).catch(() => null);
		return answer?.ok ? parseVisible<Source>(await answer.text()) : null;
	}

	/** Tells the recording to do something. */
	async order(path: string, body: string): Promise<void> {
		const answer = await fetch(path, { method: "POST", body, headers: { "X-Corotracer-Token": token } });
		if (!answer.ok)
			throw new Refusal(answer.status, await sentenceOf(answer));
	}
}

let carrier: Carrier = new Served();

export function useCarrier(other: Carrier): void {
	carrier = other;
}

export function carrierInUse(): Carrier {
	return carrier;
}

/** The name of a file that this page was made of; "": it is served. */
export function nameInPage(): string {
	const held = document.getElementById("file")?.textContent ?? "";
	return new TextDecoder().decode(Uint8Array.from(atob(held), (one) => one.charCodeAt(0)));
}

let traceFile = "FILE";

/** The trace's file by the server's path, as commands on the screens name it; a trace that is in no file leaves the word FILE. */
export function nameTraceFile(path: string | null): void {
	traceFile = path === null ? "FILE" : /^[\w./+:@%,=-]+$/.test(path) ? path : `'${path.replace(/'/g, "'\\''")}'`;
}

/** The trace's file, as a shell takes it. */
export function traceFileInCommands(): string {
	return traceFile;
}

export type Arguments = Record<string, string | number | readonly string[] | undefined>;

export function lineOf(name: string, given: Arguments): string {
	const parts: string[] = [];
	for (const [key, value] of Object.entries(given)) {
		if (value === undefined)
			continue;
		for (const one of Array.isArray(value) ? value as readonly string[] : [String(value)])
			parts.push(`${key}=${encodeURIComponent(one)}`);
	}
	return parts.length ? `${name}?${parts.join("&")}` : name;
}

/** What the program wrote into it obeys nothing any more. */
function parseVisible<T>(text: string): T {
	return JSON.parse(text, (_, value: unknown) => typeof value === "string" ? visible(value) : value) as T;
}

export async function askRowsOf(line: string): Promise<Rows> {
	return new Rows(await carrier.ask(line));
}

export async function askJsonOf<T>(line: string): Promise<T> {
	return parseVisible(new TextDecoder().decode(await carrier.ask(line)));
}

export function askRows(name: string, given: Arguments): Promise<Rows> {
	return askRowsOf(lineOf(name, given));
}

export function askJson<T>(name: string, given: Arguments = {}): Promise<T> {
	return askJsonOf(lineOf(name, given));
}
