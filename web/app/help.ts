// SPDX-License-Identifier: MIT
//
// The help that "?" opens: the keys (keys.ts).

import { h } from "./dom";
import { EVERYWHERE, type Key, TIMELINE, TIMELINE_MOUSE } from "./keys";

const SECTIONS: readonly [string, readonly Key[]][] = [
	["Everywhere", EVERYWHERE], ["Timeline", Object.values(TIMELINE)], ["Timeline, with a mouse", TIMELINE_MOUSE],
];

export function showHelp(): void {
	const before = document.querySelector<HTMLDialogElement>("dialog.help");
	if (before)
		return;
	const dialog: HTMLDialogElement = h("dialog", { class: "help", "aria-labelledby": "help-title", close: () => dialog.remove() },
		h("h2", { id: "help-title", tabindex: -1, autofocus: true }, "Keys"),
		SECTIONS.map(([title, keys]) => [h("h3", null, title), h("dl", null, keys.map(({ told, words }) => [h("dt", null, h("kbd", null, told)), h("dd", null, words)]))]),
		h("form", { method: "dialog" }, h("button", null, "Close")));
	document.body.append(dialog);
	dialog.showModal();
}
