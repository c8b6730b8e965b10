// SPDX-License-Identifier: MIT
//
// The controls of a recording that goes on: start, stop, dump now, categories, link, download. Orders need the token. Without
// the token the buttons are disabled, and one sentence says where the token comes from.

import { addressOf, carrierInUse, dropToken, hasToken, NEEDS_TOKEN, Refusal, Served } from "./carrier";
import { copyButton, fill, h } from "./dom";
import { CATEGORIES } from "./names";

/** The part of the server's state on which the controls depend. */
export interface Controlled {
	path: string | null;
	has_page: boolean;
	recording?: { has_ended: boolean; is_flight: boolean; categories_off: number };
}

const controls = document.getElementById("controls") as HTMLElement;
const needsToken = document.getElementById("needs-token") as HTMLElement;
const NO_DUMP = "Only a flight recorder has a past to dump: this recording writes all of it.";

/** The newest state, and the state that is drawn. */
let told: Controlled;
let drawn = "";
let complain: (sentence: string) => void;

async function order(path: string, body: string): Promise<void> {
	try {
		await (carrierInUse() as Served).order(path, body);
		complain("");
	} catch (error) {
		if (!(error instanceof Refusal && error.status === 403))
			return complain((error as Error).message);
		dropToken();
		draw();
	}
}

function button(words: string, press: () => void, whyNot?: string): HTMLElement {
	const isLocked = !hasToken();
	return h("button", { class: "small", "data-key": words, disabled: isLocked || whyNot !== undefined, title: isLocked ? NEEDS_TOKEN : whyNot,
		"aria-describedby": isLocked ? needsToken.id : undefined, click: press }, words);
}

function orderCategories(dialog: HTMLDialogElement): void {
	const off = [...dialog.querySelectorAll<HTMLInputElement>("input:not(:checked)")].map((box) => box.name);
	void order("/api/v1/control", `no-category=${off.join(",")}`);
}

/**
 * Shows which categories of events are kept from now on. The boxes that are ticked at first are the categories kept at
 * present.
 */
function showCategories(): void {
	const off = told.recording?.categories_off ?? 0;
	const dialog: HTMLDialogElement = h("dialog", { class: "categories", "aria-labelledby": "categories-title", close: () => {
		if (dialog.returnValue === "keep")
			orderCategories(dialog);
		dialog.remove();
	} },
	h("h2", { id: "categories-title" }, "Categories of events to keep"),
	h("p", { class: "quiet" }, "Lives, suspends, resumes and wakes of coroutines are always kept. The trace tells what was left out, and when."),
	h("form", { method: "dialog" },
		CATEGORIES.map(({ number, name, meaning }) => h("label", null,
			h("input", { type: "checkbox", name, checked: !(off >> number & 1) }), h("b", null, name), ` ${meaning}`)),
		h("p", null, h("button", { value: "keep" }, "Keep these"), " ", h("button", { value: "" }, "Cancel"))));
	document.body.append(dialog);
	dialog.showModal();
}

function buttonsOf(recording: NonNullable<Controlled["recording"]>): HTMLElement[] {
	return [
		button("Start", () => void order("/api/v1/control", "start")),
		button("Stop", () => void order("/api/v1/control", "stop")),
		button("Dump now", () => void order("/api/v1/dump", ""), recording.is_flight ? undefined : NO_DUMP),
		button("Categories", showCategories),
	];
}

function draw(): void {
	const { path } = told, recording = told.recording?.has_ended ? undefined : told.recording, key = `${path} ${recording?.is_flight} ${hasToken()}`;
	if (key === drawn)
		return;
	drawn = key;
	fill(controls, recording ? [holdStill, buttonsOf(recording)] : null,
		path || told.recording ? copyButton("Copy link", () => location.href) : null,
		path || told.recording ? h("a", { class: "button small", href: addressOf("/api/v1/trace"), download: true, "data-key": "download" }, "Download") : null,
		told.has_page && (path || told.recording) ? h("a", { class: "button small", href: addressOf("/api/v1/page"), download: true, "data-key": "save",
			title: "All screens and the trace, as it is now, in one file that opens from a disk without a server" }, "Save as one file") : null);
	needsToken.textContent = NEEDS_TOKEN;
	needsToken.hidden = !recording || hasToken();
}

let holdStill: HTMLElement;

/**
 * Draws the controls for this state. `hold` is placed before the controls; `say` shows the sentence with which an order
 * was refused.
 */
export function drawControls(state: Controlled, hold: HTMLElement, say: (sentence: string) => void): void {
	told = state;
	holdStill = hold;
	complain = say;
	draw();
}
