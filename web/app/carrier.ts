// SPDX-License-Identifier: MIT
//
// The data layer. Screens send requests of docs/spec/view.md, such as "select?table=waits", and get bytes. The carrier
// decides where the bytes come from: from a server, or from the engine inside of a page that is a single file.

import { Rows } from "./rows";
import { visible } from "./say";

export interface Carrier {
	/** Returns the answer's bytes. A failure is an Error whose message is one sentence. */
	ask(request: string): Promise<ArrayBuffer>;
	/** Executes an SQL statement; the number identifies the statement when it is to be cancelled. */
	query<T>(sql: string, number: number): Promise<T>;
	/** True if a server answers: the recording may still go on, and the server sends events about it. */
	readonly isServed: boolean;
}

export interface Source {
	path: string;
	line: number;
	/** The number of the first line. */
	first: number;
	lines: string[];
}

/** A refused request, with the HTTP status that says why. */
export class Refusal extends Error {
	/** `offset`: the byte offset of the error in an SQL statement. */
	constructor(readonly status: number, sentence: string, readonly offset?: number) {
		super(sentence);
	}
}

let token = "";

/** Says where the token comes from; shown wherever the token is missing. */
export const NEEDS_TOKEN = "Open the address that corotracer printed when it started: it ends with the token that lets you in.";

/**
 * Moves the token out of the address, so that the address can be shared without it. Returns whether the address had a
 * token.
 */
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

/** Forgets a token that was refused: it belongs to an earlier start of the server. */
export function dropToken(): void {
	token = "";
	sessionStorage.removeItem("token");
}

export function hasToken(): boolean {
	return token !== "";
}

/** Returns the address of a resource that the browser itself requests from the server. */
export function addressOf(path: string): string {
	return token ? `${path}?token=${token}` : path;
}

/** Returns the sentence of a refusal. */
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

	async query<T>(sql: string, number: number): Promise<T> {
		const answer = await fetch(`/api/v1/query?number=${number}`, { method: "POST", body: sql, headers: { "X-Corotracer-Token": token } })
			.catch(() => { throw new Error("The server does not answer any more."); });
		const told = await answer.text().then((text) => parseVisible<T & { error?: string; offset?: number }>(text))
			.catch(() => ({ error: `The server answers with status ${answer.status}.` })) as T & { error?: string; offset?: number };
		if (!answer.ok)
			throw new Refusal(answer.status, told.error ?? "", told.offset);
		return told;
	}

	/** Ends the statement with this number. Returns whether there was one. */
	async stop(number: number): Promise<boolean> {
		const answer = await fetch("/api/v1/query/stop", { method: "POST", body: String(number), headers: { "X-Corotracer-Token": token } });
		return !answer.ok || ((await answer.json()) as { nr_stopped: number }).nr_stopped > 0;
	}

	/** Returns the present lines of the source around a place; null: they cannot be had. */
	async source(site: number): Promise<Source | null> {
		const answer = await fetch(`/api/v1/source?site=${site}`, { headers: { "X-Corotracer-Token": token } }).catch(() => null);
		return answer?.ok ? parseVisible<Source>(await answer.text()) : null;
	}

	/** Sends an order to the recording. */
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

/** Returns the name of the trace file in a page that is a single file; "": a server serves the page. */
export function nameInPage(): string {
	const held = document.getElementById("file")?.textContent ?? "";
	return new TextDecoder().decode(Uint8Array.from(atob(held), (one) => one.charCodeAt(0)));
}

let traceFile = "FILE";

/**
 * Sets the path of the trace file, which commands on the screens contain. null: the trace is in no file, and commands
 * contain the word FILE.
 */
export function nameTraceFile(path: string | null): void {
	traceFile = path === null ? "FILE" : /^[\w./+:@%,=-]+$/.test(path) ? path : `'${path.replace(/'/g, "'\\''")}'`;
}

/** Returns the trace file's path, quoted for a shell. */
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

/** Parses JSON. Characters in texts of the traced program that a browser would obey are made visible. */
export function parseVisible<T>(text: string): T {
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
