// SPDX-License-Identifier: MIT
//
// The page of a fleet: services, the one with the gravest findings first, their scheduler's delays over time, and the
// way to each window. docs/spec/http-api.md has the answer that it shows.

import { addressOf, hasToken, NEEDS_TOKEN, sentenceOf, takeToken } from "./carrier";
import { copyButton, fill, h, type Child } from "./dom";
import { count, duration, isolated, many, visible } from "./say";

interface Window {
	trace: string;
	host: string;
	/** Seconds since 1970, UTC. */
	began: number;
	grade: string | null;
	title: string | null;
	error: string | null;
	nr_findings: number;
	nr_events: number;
	nr_lost: number;
	delay_p99_ns: number | null;
}

interface Service {
	service: string;
	nr_windows: number;
	windows: Window[];
}

interface Fleet {
	place: string;
	nr_windows: number;
	nr_judged: number;
	nr_waiting: number;
	nr_older: number;
	nr_strange: number;
	nr_beyond: number;
	is_listed: boolean;
	trouble: string | null;
	services: Service[];
}

/** Between two looks at the server: while windows are judged, and later. */
const SOON_MS = 2000, LATER_MS = 15000;
/** Windows in a table before all are asked for. */
const ROWS = 10;
const WIDTH = 360, HEIGHT = 56, EDGE = 6;
const GRADES = ["none", "suspect", "likely", "proven"];

const main = document.getElementById("fleet") as HTMLElement;
const state = document.getElementById("state") as HTMLElement;
const trouble = document.getElementById("trouble") as HTMLElement;
/** Services whose table is open, and those of which all rows are shown. */
const opened = new Set<string>(), whole = new Set<string>();
let shown = "";

function say(sentence: string): void {
	trouble.textContent = sentence;
	trouble.hidden = sentence === "";
}

function moment(seconds: number): string {
	return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function gravity(window: Window): number {
	return Math.max(0, GRADES.indexOf(window.grade ?? "none"));
}

function finding(window: Window): string {
	if (window.error)
		return `cannot be read: ${visible(window.error)}`;
	return window.title ? `${window.grade}: ${visible(window.title)}` : "nothing found";
}

/* ---- to a window */

/** The server of the window has a page of its own. The way back is the browser's. */
async function open(window: Window): Promise<void> {
	say("");
	const answer = await fetch(addressOf("/api/v1/fleet/open"), {
		method: "POST", body: window.trace, headers: { "X-Corotracer-Token": sessionStorage.getItem("token") ?? "" } });
	if (!answer.ok)
		return say(hasToken() ? await sentenceOf(answer) : NEEDS_TOKEN);
	location.assign(((await answer.json()) as { url: string }).url);
}

function openNow(window: Window): void {
	open(window).catch((error: Error) => say(error.message));
}

/* ---- delays over time */

function svg(name: string, properties: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
	const element = document.createElementNS("http://www.w3.org/2000/svg", name);
	for (const [key, value] of Object.entries(properties))
		element.setAttribute(key, String(value));
	element.append(...children);
	return element;
}

/** Places values between two ends; equal ends give the middle. */
function scale(from: number, until: number, low: number, high: number): (value: number) => number {
	return (value) => until > from ? low + (value - from) / (until - from) * (high - low) : (low + high) / 2;
}

function dot(window: Window, x: number, y: number): SVGElement {
	const mark = svg("circle", { class: `dot ${window.grade ?? "none"}`, cx: x, cy: y, r: gravity(window) ? 4.5 : 3 },
		svg("title", {}, `${moment(window.began)}, ${window.host}: delay p99 ${duration(window.delay_p99_ns ?? NaN)}; ${finding(window)}`));
	mark.addEventListener("click", () => openNow(window));
	return mark;
}

function delays(service: Service): Child {
	const seen = service.windows.filter((one) => one.delay_p99_ns !== null);
	if (!seen.length)
		return h("p", { class: "quiet" }, "no delays measured");
	const height = (one: Window): number => Math.log(Math.max(1, one.delay_p99_ns!));
	const heights = seen.map(height), x = scale(seen[0]!.began, seen[seen.length - 1]!.began, EDGE, WIDTH - EDGE);
	const y = scale(Math.min(...heights), Math.max(...heights), HEIGHT - EDGE, EDGE);
	const at = (one: Window): readonly [number, number] => [x(one.began), y(height(one))];
	const hosts = [...new Set(seen.map((one) => one.host))], worst = Math.max(...seen.map((one) => one.delay_p99_ns!));
	return h("figure", null,
		svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "delays", role: "img", "aria-label": `delay p99 of ${many(seen.length, "window")}, at most ${duration(worst)}` },
			...hosts.map((host) => svg("polyline", { points: seen.filter((one) => one.host === host).map((one) => at(one).join(",")).join(" ") })),
			...seen.map((one) => dot(one, ...at(one)))),
		h("figcaption", { class: "quiet" }, `delay p99 since ${moment(seen[0]!.began)}: ${duration(seen[seen.length - 1]!.delay_p99_ns!)} now, ${duration(worst)} at most; a line for each host`));
}

/* ---- windows of a service */

function row(window: Window): HTMLElement {
	return h("tr", null,
		h("td", null, moment(window.began)), h("td", null, isolated(visible(window.host))),
		h("td", { class: window.error ? "doubt" : gravity(window) ? `verdict ${window.grade}` : "quiet" }, finding(window)),
		h("td", { class: "number" }, duration(window.delay_p99_ns ?? NaN)),
		h("td", { class: "number" }, count(window.nr_events)), h("td", { class: "number" }, count(window.nr_lost)),
		h("td", null,
			h("button", { class: "small", "data-key": `open ${window.trace}`, click: () => openNow(window) }, "Open"), " ",
			copyButton("Copy command", () => `corotracer serve '${window.trace.replace(/'/g, "'\\''")}'`)));
}

function table(service: Service, redraw: () => void): Child {
	const newest = [...service.windows].reverse(), rows = whole.has(service.service) ? newest : newest.slice(0, ROWS);
	return [
		h("div", { class: "scroll" }, h("table", null,
			h("thead", null, h("tr", null, ["Began", "Host", "Finding", "Delay p99", "Events", "Lost", "Window"].map((name) => h("th", { scope: "col" }, name)))),
			h("tbody", null, rows.map(row)))),
		rows.length < newest.length
			? h("button", { class: "small", click: () => { whole.add(service.service); redraw(); } }, `Show all ${count(newest.length)}`) : null];
}

function toggle(service: Service, event: Event): void {
	if ((event.target as HTMLDetailsElement).open)
		opened.add(service.service);
	else
		opened.delete(service.service);
}

/* ---- services */

/** The gravest finding, the newest of its grade. */
function worstOf(service: Service): Window | undefined {
	return service.windows.reduce<Window | undefined>((worst, one) => gravity(one) && gravity(one) >= (worst ? gravity(worst) : 1) ? one : worst, undefined);
}

function verdict(service: Service): Child {
	const worst = worstOf(service), nrFound = service.windows.filter((one) => gravity(one)).length;
	if (!service.windows.length)
		return h("p", { class: "quiet" }, "not judged yet");
	if (!worst)
		return h("p", { class: "quiet" }, "Nothing was found.");
	return h("p", { class: `verdict ${worst.grade}` }, h("a", {
		href: "#", "data-key": `worst ${service.service}`, click: (event: Event) => { event.preventDefault(); openNow(worst); } }, finding(worst)),
	h("span", { class: "quiet" }, ` ${moment(worst.began)} on ${isolated(visible(worst.host))}; findings in ${count(nrFound)} of ${many(service.windows.length, "window")}`));
}

function section(service: Service, redraw: () => void): HTMLElement {
	const hosts = new Set(service.windows.map((one) => one.host)).size, nrUnread = service.windows.filter((one) => one.error).length;
	return h("section", { class: "service" },
		h("div", { class: "told" },
			h("h2", null, isolated(visible(service.service))), verdict(service),
			h("p", { class: "quiet" }, `${count(service.windows.length)} of ${many(service.nr_windows, "window")} judged, of ${many(hosts, "host")}`,
				nrUnread ? h("span", { class: "doubt" }, `; ${count(nrUnread)} cannot be read`) : null)),
		delays(service),
		service.windows.length ? h("details", { open: opened.has(service.service), toggle: (event: Event) => toggle(service, event) },
			h("summary", { "data-key": `windows ${service.service}` }, "Windows"), table(service, redraw)) : null);
}

function words(fleet: Fleet): string {
	const parts = [visible(fleet.place), `${many(fleet.nr_windows, "window")} of ${many(fleet.services.length, "service")}`, `${count(fleet.nr_judged)} judged`];
	if (fleet.nr_waiting)
		parts.push(`${count(fleet.nr_waiting)} to be judged`);
	if (fleet.nr_older)
		parts.push(`${count(fleet.nr_older)} older ones left out`);
	if (fleet.nr_strange)
		parts.push(`${count(fleet.nr_strange)} left out, whose keys are no windows'`);
	if (fleet.nr_beyond)
		parts.push(`${count(fleet.nr_beyond)} beyond the limit left out: name a service or a day`);
	return parts.join(" \u00b7 ");
}

function draw(fleet: Fleet): void {
	const redraw = (): void => draw(fleet);
	say(fleet.trouble ? visible(fleet.trouble) : "");
	state.textContent = fleet.is_listed ? words(fleet) : `${visible(fleet.place)} \u00b7 listing ...`;
	if (fleet.services.length)
		fill(main, fleet.services.map((one) => section(one, redraw)));
	else if (fleet.is_listed)
		fill(main, h("p", { class: "quiet" }, "There is no window yet: keys are SERVICE/HOST/YYYYMMDD/HHMMSS-RUN.ctrace, as corotracer agent stores them."));
}

/* ---- looking again */

async function look(): Promise<number> {
	const answer = await fetch(addressOf("/api/v1/fleet"));
	if (!answer.ok) {
		say(hasToken() ? await sentenceOf(answer) : NEEDS_TOKEN);
		return LATER_MS;
	}
	const text = await answer.text(), fleet = JSON.parse(text) as Fleet;
	if (text !== shown)
		draw(fleet);
	shown = text;
	return fleet.nr_waiting || !fleet.is_listed ? SOON_MS : LATER_MS;
}

async function lookAgain(): Promise<void> {
	let pause = SOON_MS;
	try {
		if (!document.hidden)
			pause = await look();
	} catch {
		say("corotracer does not answer any more.");
		shown = "";
		pause = LATER_MS;
	}
	setTimeout(() => void lookAgain(), pause);
}

takeToken();
void lookAgain();
