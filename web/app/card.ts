// SPDX-License-Identifier: MIT
//
// The card at a link to a place or a coroutine, shown while the pointer or the focus is on the link: the source of a
// place and the functions into which it was inlined; or what a coroutine does, since when, for what it waits, and who
// started it.

import { askRows } from "./carrier";
import { fill, h, type Child } from "./dom";
import { duration, many } from "./say";
import { askSite, askSource, linesOf } from "./source";
import { STATES, stateWord } from "./states";
import { placeOf, traceInUse } from "./trace";

/** A pointer that moves on sooner sends no request. */
const ASK_AFTER_MS = 300;

const card = h("div", { class: "card", role: "tooltip", id: "card", hidden: true });
let timer = 0;
let over: HTMLAnchorElement | null = null;

async function tellPlace(site: number): Promise<Child> {
	const [{ callers }, source] = await Promise.all([askSite(site), askSource(site)]);
	return [h("p", null, placeOf(site)), callers ? h("p", null, `inlined into ${callers}`) : null, source ? linesOf(source) : null];
}

async function tellCoroutine(process: number, id: number): Promise<Child> {
	const rows = await askRows("select", {
		table: "coroutines", columns: "name,state,since_ns,wait_object,wait_site,parent,spawn_site,nr_resumes", where: [`process=${process}`, `coroutine=${id}`], limit: 1 });
	if (!rows.nrRows)
		return null;
	const number = (column: number): number => rows.number(column, 0) || 0, trace = traceInUse();
	const lines = [`${rows.word(0, 0) || `coroutine ${id}`}: ${stateWord(STATES[number(1)] ?? "")}${trace ? ` for ${duration(trace.until - number(2))}` : ""}`,
		rows.word(3, 0) && STATES[number(1)] === "waiting" ? `for ${rows.word(3, 0)}` : "", placeOf(number(4) || null) && `at ${placeOf(number(4))}`,
		`started ${number(5) ? `by coroutine ${number(5)}` : "by a thread"}${number(6) ? ` at ${placeOf(number(6))}` : ""}; ${many(number(7), "resume")}`];
	return lines.filter((line) => line).map((line) => h("p", null, line));
}

function tell(link: HTMLAnchorElement): Promise<Child> | null {
	const [screen, query] = (link.getAttribute("href") ?? "").slice(1).split("?"), given = new URLSearchParams(query);
	if (screen === "places" && given.get("site"))
		return tellPlace(Number(given.get("site")));
	return screen === "coroutine" && given.get("id") ? tellCoroutine(Number(given.get("process") ?? 1), Number(given.get("id"))) : null;
}

/** Places the card below the link, or above the link if there is no room. */
function place(link: HTMLAnchorElement): void {
	const box = link.getBoundingClientRect(), { offsetWidth: width, offsetHeight: height } = card, isBelow = box.bottom + height + 8 < innerHeight;
	card.style.left = `${Math.max(4, Math.min(box.left, innerWidth - width - 4))}px`;
	card.style.top = `${isBelow ? box.bottom + 4 : Math.max(4, box.top - height - 4)}px`;
}

async function show(link: HTMLAnchorElement): Promise<void> {
	const told = await tell(link);
	if (!told || over !== link || !link.isConnected)
		return;
	fill(card, told);
	card.hidden = false;
	place(link);
}

function leave(): void {
	clearTimeout(timer);
	over = null;
	card.hidden = true;
}

function enter(event: Event): void {
	const link = (event.target as Element).closest<HTMLAnchorElement>("main a[href^='#places?'], main a[href^='#coroutine?']");
	if (link === over)
		return;
	leave();
	over = link;
	if (link)
		timer = window.setTimeout(() => void show(link).catch(() => undefined), ASK_AFTER_MS);
}

/** Registers the listeners for all links of the page; to be called once. */
export function listenCards(): void {
	document.body.append(card);
	// A pointer that stays on a link while the page scrolls does not enter it again: the next movement shows the card.
	for (const name of ["pointerover", "pointermove", "focusin"])
		document.addEventListener(name, enter);
	for (const name of ["pointerdown", "keydown", "scroll", "focusout"])
		document.addEventListener(name, leave, { capture: true });
	window.addEventListener("hashchange", leave);
}
