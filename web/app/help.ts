// SPDX-License-Identifier: MIT
//
// The keys, told by "?".

import { h } from "./dom";

const KEYS: readonly [string, readonly [string, string][]][] = [
	["Everywhere", [["1 ... 8", "the screens, in their order"], ["/", "search"], ["W", "on a coroutine: why it does not run"], ["?", "these keys"], ["Esc", "close"]]],
	["Timeline", [["W, S", "zoom in, out"], ["A, D", "to the left, to the right"], ["0", "all"], ["F", "centre the selection; once more: fit it"],
		["arrows", "another lane, another state"], [". and ,", "next and previous state of the lane"], ["N, P", "next and previous finding"],
		["G", "go to a time"], ["Ctrl+Z", "back to the range before"], ["Enter", "open the lane's coroutine"],
		["Ctrl+wheel", "zoom at the cursor"], ["Shift+wheel", "pan"], ["wheel", "other lanes"]]],
];

export function showHelp(): void {
	const before = document.querySelector<HTMLDialogElement>("dialog.help");
	if (before)
		return;
	const dialog: HTMLDialogElement = h("dialog", { class: "help", "aria-labelledby": "help-title", close: () => dialog.remove() },
		h("h2", { id: "help-title" }, "Keys"),
		KEYS.map(([title, keys]) => [h("h3", null, title), h("dl", null, keys.map(([key, words]) => [h("dt", null, h("kbd", null, key)), h("dd", null, words)]))]),
		h("form", { method: "dialog" }, h("button", null, "Close")));
	document.body.append(dialog);
	dialog.showModal();
}
