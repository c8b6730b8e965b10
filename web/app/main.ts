// SPDX-License-Identifier: MIT
//
// The page: its screens, the state of what is shown, and the keys that work on all screens.

import { addressOf as placeOfView, viewInUse } from "./address";
import { addressOf, carrierInUse, nameInPage, nameTraceFile, NEEDS_TOKEN, Refusal, sentenceOf, takeToken, traceFileInCommands, useCarrier } from "./carrier";
import { listenCards } from "./card";
import { drawControls } from "./controls";
import { showCoroutine } from "./coroutine";
import { showCoroutines } from "./coroutines";
import { fill, h } from "./dom";
import { Embedded } from "./embedded";
import { saidBy, showFindings } from "./findings";
import { showHelp } from "./help";
import { showObjects } from "./objects";
import { showOverview } from "./overview";
import { showPlaces } from "./places";
import { showQuality } from "./quality";
import { showSql } from "./sql";
import { drawStandings, endStandings, hearStandings, standBehind, type Standing } from "./standing";
import { showTasks } from "./tasks";
import { showTimeline } from "./timeline";
import { loadTrace, observation, traceInUse, type Trace } from "./trace";
import { showWaits } from "./waits";

/** A screen fills the element. The function that the screen returns is called before another screen is shown. */
type Screen = (into: HTMLElement, trace: Trace) => (() => void) | void;

const SCREENS: Record<string, { title: string; show: Screen; isHidden?: boolean }> = {
	findings: { title: "Findings", show: showFindings },
	timeline: { title: "Timeline", show: showTimeline },
	coroutines: { title: "Coroutines", show: showCoroutines },
	coroutine: { title: "Coroutine", show: showCoroutine, isHidden: true },
	overview: { title: "Overview", show: showOverview },
	waits: { title: "Waits", show: showWaits },
	objects: { title: "What was waited for", show: showObjects, isHidden: true },
	places: { title: "Places", show: showPlaces },
	tasks: { title: "Tasks", show: showTasks },
	quality: { title: "Quality", show: showQuality },
	sql: { title: "SQL", show: showSql },
};

/** The screens by number, in the order of the navigation. */
const NUMBERED = Object.keys(SCREENS).filter((name) => !SCREENS[name]!.isHidden);

interface State {
	path: string | null;
	has_page: boolean;
	generation: number;
	standings: Standing[];
	trouble?: string;
	recording?: { has_ended: boolean; has_probe: boolean; is_flight: boolean; categories_off: number };
}

/** Screens that show a range of time, or compare it. */
const RANGED = ["timeline", "overview", "waits", "places"];

const main = document.getElementById("screen") as HTMLElement;
const said = document.getElementById("state") as HTMLElement;
const newer = document.getElementById("newer") as HTMLElement;
const trouble = document.getElementById("trouble") as HTMLElement;
const LOST = "The connection is lost. What is shown is as it was; the page goes on as soon as the server answers.";
const ASK_AGAIN_MS = 2000;
let leave: (() => void) | void;
let generation = 0; /* no judgement yet */
let isLoading = false;
let isPaused = false;

/** The chosen range of time is passed on to the screens that use a range. */
function inRange(name: string): string {
	const given = viewInUse().arguments;
	return RANGED.includes(name) ? placeOfView(name, { from: given.get("from") ?? undefined, until: given.get("until") ?? undefined }) : `#${name}`;
}

/** A narrow head has room for these screens, and for the present one in place of the last of them. */
const MAIN_SCREENS = 4;

function mainScreens(present: string): string[] {
	const first = NUMBERED.slice(0, MAIN_SCREENS);
	return first.includes(present) || !NUMBERED.includes(present) ? first : [...first.slice(0, -1), present];
}

/** In a narrow head: the other screens, the controls, and the whole state. */
function moreButton(): HTMLElement {
	const head = document.querySelector("header")!;
	return h("button", { id: "more", class: "small", "aria-expanded": String(head.classList.contains("open")), click: () => {
		head.classList.toggle("open");
		drawNavigation();
	} }, head.classList.contains("open") ? "Less" : "More");
}

function drawNavigation(): void {
	const { screen } = viewInUse(), found = traceInUse()?.report.findings.length ?? 0, main = mainScreens(screen);
	fill(document.getElementById("screens") as HTMLElement, NUMBERED.map((name) =>
		h("a", { href: inRange(name), class: main.includes(name) ? undefined : "rest", "data-key": `nav-${name}`, "aria-current": name === screen ? "page" : undefined }, SCREENS[name]!.title,
			name === "findings" && found ? h("span", { class: "badge" }, String(found)) : null)), moreButton());
}

function show(): void {
	const trace = traceInUse(), { screen } = viewInUse(), chosen = SCREENS[screen] ?? SCREENS["findings"]!;
	drawNavigation();
	document.title = `${chosen.title} · ${trace ? observation(trace) : "corotracer"}`;
	if (!trace)
		return;
	leave?.();
	newer.hidden = true;
	main.className = `screen ${screen}`;
	leave = chosen.show(main, trace);
}

function complain(sentence: string, isTrouble = true): void {
	trouble.textContent = sentence;
	trouble.className = isTrouble ? "" : "told";
	trouble.hidden = !sentence;
}

function failure(error: unknown): void {
	if (error instanceof Refusal && error.status === 403)
		fill(main, h("h2", null, "The server refuses"), h("p", null, NEEDS_TOKEN));
	else if (error instanceof Refusal && error.status === 503)
		fill(main, h("p", { class: "quiet" }, "Nothing was judged yet: the recording has just begun, or the trace is still being read."));
	else
		complain((error as Error).message);
}

async function load(): Promise<void> {
	if (isLoading || isPaused)
		return;
	isLoading = true;
	/*
	 * The names of places may be all that a newer judgement adds, so what was said is computed before the names are
	 * replaced.
	 */
	const before = traceInUse(), saidBefore = before && saidBy(before), isFirst = before === null, loading = generation;
	try {
		const isSame = saidBy(await loadTrace()) === saidBefore;
		if (carrierInUse().isServed)
			drawStandings();
		else
			standBehind(["the whole trace is in this file"]);
		complain("");
		/* A screen at which the reader works stays as it is until the reader asks for the newer judgement. */
		if (isFirst || (["findings", "quality"].includes(viewInUse().screen) && !isSame)) {
			const { scrollY } = window;
			show();
			window.scrollTo(0, scrollY);
		} else if (viewInUse().screen !== "findings") {
			drawNavigation();
			newer.hidden = false;
		}
	} catch (error) {
		failure(error);
	} finally {
		isLoading = false;
	}
	if (generation !== loading)
		void load();
}

// ---------------------------------------------------------------- a page with a server

function sayState(state: State): void {
	const { recording } = state;
	hearStandings(state.standings, recording !== undefined && !recording.has_ended, state.path ?? "no trace in a file");
	if (state.trouble)
		complain(state.trouble);
	if (!state.generation && !traceInUse())
		fill(main, h("h2", null, "Waiting for the first judgement"), h("p", null, recording && !recording.has_probe
			? "The engine is attached, and has seen no coroutine. Is the probe linked, and called first in main?" : "The trace is being read."));
	/* A server that was restarted counts generations from one again. */
	if (state.generation && state.generation !== generation) {
		generation = state.generation;
		void load();
	}
}

const holdStill = h("button", { class: "small", "data-key": "hold", "aria-pressed": "false", click: () => {
	isPaused = !isPaused;
	holdStill.setAttribute("aria-pressed", String(isPaused));
	holdStill.textContent = isPaused ? "Follow again" : "Hold still";
	void load();
} }, "Hold still");

/** A message made of the server's events, which the tab that receives the events passes on. */
interface Heard {
	what: "state" | "end" | "lost";
	text: string;
}

/**
 * A browser allows six connections to a server, and each stream of events takes one permanently. Therefore one tab
 * receives the events, and passes them on to the other tabs.
 */
const EVENTS = "corotracer events";
let otherTabs: BroadcastChannel | null = null;

function hear({ what, text }: Heard): void {
	if (what === "state") {
		const state = JSON.parse(text) as State;
		nameTraceFile(state.path);
		if (trouble.dataset["kind"] === "connection")
			complain("");
		delete trouble.dataset["kind"];
		sayState(state);
		drawControls(state, holdStill, complain);
	} else if (what === "end") {
		endStandings({ what: "end", is_doubt: false, text: "the server has ended" });
		complain(`The server has ended. What is shown stays; 'corotracer serve ${traceFileInCommands()}' shows the whole trace.`, false);
	} else {
		trouble.dataset["kind"] = "connection";
		endStandings({ what: "engine", is_doubt: true, text: "corotracer does not answer" });
		complain(LOST);
	}
}

/**
 * Receives the events until they are refused or the tab is closed. `over` is called when another tab may receive them.
 */
function follow(over: () => void): void {
	const events = new EventSource(addressOf("/api/v1/events")), passOn = (heard: Heard): void => {
		hear(heard);
		otherTabs?.postMessage(heard);
	};
	events.onopen = () => {
		document.documentElement.dataset["events"] = "open";
	};
	events.addEventListener("state", (message) => passOn({ what: "state", text: (message as MessageEvent<string>).data }));
	events.addEventListener("end", () => {
		events.close();
		passOn({ what: "end", text: "" });
	});
	events.onerror = () => {
		if (events.readyState === EventSource.CLOSED) {
			over();
			void refused();
		} else {
			passOn({ what: "lost", text: "" });
		}
	};
}

function listen(): void {
	if (otherTabs)
		void navigator.locks.request(EVENTS, () => new Promise<void>(follow));
	else
		follow(() => undefined);
}

/** The events report changes only, so a tab that has just been opened asks for the present state itself. */
async function listenWithOthers(): Promise<void> {
	if (window.isSecureContext && "locks" in navigator && "BroadcastChannel" in window) {
		otherTabs = new BroadcastChannel(EVENTS);
		otherTabs.onmessage = (message) => hear(message.data as Heard);
	}
	listen();
	if (!otherTabs)
		return;
	const answer = await fetch(addressOf("/api/v1/state")).catch(() => null);
	if (answer?.ok)
		hear({ what: "state", text: await answer.text() });
}

/** A browser does not say why the events were refused: a second request finds out. */
async function refused(): Promise<void> {
	const leaving = new AbortController();
	try {
		const answer = await fetch(addressOf("/api/v1/events"), { signal: leaving.signal });
		if (answer.ok)
			leaving.abort();
		else if (answer.status !== 503)
			return failure(new Refusal(answer.status, await sentenceOf(answer)));
		else
			complain(`${await sentenceOf(answer)}. This page shows what goes on as soon as there is room.`);
	} catch {
		complain(LOST);
	}
	trouble.dataset["kind"] = "connection";
	setTimeout(listen, ASK_AGAIN_MS);
}

// ---------------------------------------------------------------- all screens

function keydown(event: KeyboardEvent): void {
	const target = event.target as HTMLElement;
	if (target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
		return;
	if (event.key === "?")
		showHelp();
	else if (event.key === "/")
		focusSearch();
	else if (event.key === "w" && coroutineAt(target))
		location.hash = coroutineAt(target)!;
	else if (NUMBERED[Number(event.key) - 1])
		location.hash = `#${NUMBERED[Number(event.key) - 1]}`;
	else
		return;
	event.preventDefault();
}

/**
 * Returns the address of the screen that says why a coroutine does not run: the coroutine of the link or row that has
 * the focus.
 */
function coroutineAt(target: HTMLElement): string | null {
	const link = target.closest('a[href^="#coroutine?"]') ?? target.closest("tr")?.querySelector('a[href^="#coroutine?"]');
	return link?.getAttribute("href") ?? null;
}

/** Moves the focus to the search of this screen, or else to the search of all coroutines. */
function focusSearch(): void {
	const here = document.getElementById("text");
	if (here) {
		here.focus();
		return;
	}
	/* Registered after the listener that shows the screen. */
	window.addEventListener("hashchange", () => document.getElementById("text")?.focus(), { once: true });
	location.hash = "#coroutines";
}

if (document.getElementById("trace")) {
	useCarrier(new Embedded());
	nameTraceFile(nameInPage() || null);
} else {
	takeToken();
}
window.addEventListener("hashchange", () => {
	document.querySelector("header")?.classList.remove("open");
	/* The reader opened the printed address, with its token, in a tab where the page was open without the token. */
	if (carrierInUse().isServed && takeToken())
		location.reload();
	else
		show();
});
window.addEventListener("keydown", keydown);
listenCards();
for (const query of ["(prefers-color-scheme: dark)", "(max-width: 600px)", "(max-width: 960px)"])
	matchMedia(query).addEventListener("change", show);
newer.addEventListener("click", show);
document.getElementById("help")?.addEventListener("click", showHelp);
drawNavigation();
if (carrierInUse().isServed) {
	void listenWithOthers();
} else {
	said.textContent = "reading the trace ...";
	void load();
}
