// SPDX-License-Identifier: MIT
//
// The keys, in one table: the help and the handlers use the same table. A key has the name that a browser gives it,
// with "ctrl+" or "shift+" before the name. A letter stands for both cases, unless a line has the letter with "shift+".

export interface Key {
	keys: readonly string[];
	/** The words of the help. */
	told: string;
	words: string;
}

export const EVERYWHERE: readonly Key[] = [
	{ keys: [], told: "1 ... 9", words: "the screens, in their order" }, { keys: [], told: "/", words: "search" },
	{ keys: [], told: "J, K", words: "the next finding, and the one before" },
	{ keys: [], told: "W", words: "on a coroutine: why it does not run" }, { keys: [], told: "?", words: "these keys" }, { keys: [], told: "Esc", words: "close" },
];

/** Declares the keys of a table, and keeps the types of their names. */
function named<Name extends string>(keys: Record<Name, Key>): Record<Name, Key> {
	return keys;
}

export const TIMELINE = named({
	zoomIn: { keys: ["w"], told: "W", words: "zoom in" },
	zoomOut: { keys: ["s"], told: "S", words: "zoom out" },
	left: { keys: ["a"], told: "A", words: "to the left" },
	right: { keys: ["d"], told: "D", words: "to the right" },
	all: { keys: ["0"], told: "0", words: "the whole recording" },
	fit: { keys: ["f"], told: "F", words: "centre the selection; once more: fit it" },
	goTo: { keys: ["g"], told: "G", words: "go to a time" },
	range: { keys: ["r"], told: "R", words: "a range of time, from and until" },
	back: { keys: ["ctrl+z"], told: "Ctrl+Z", words: "back to the range before" },
	nextState: { keys: ["ArrowRight"], told: "→", words: "next state of the lane" },
	previousState: { keys: ["ArrowLeft"], told: "←", words: "previous state of the lane" },
	nextLane: { keys: ["ArrowDown"], told: "↓", words: "next lane" },
	previousLane: { keys: ["ArrowUp"], told: "↑", words: "previous lane" },
	nextEvent: { keys: ["."], told: ".", words: "next event of the lane" },
	previousEvent: { keys: [","], told: ",", words: "previous event of the lane" },
	nextFinding: { keys: ["n"], told: "N", words: "next finding" },
	previousFinding: { keys: ["p"], told: "P", words: "previous finding" },
	search: { keys: ["/"], told: "/", words: "search; Enter: the next place, Shift+Enter: the one before" },
	open: { keys: ["Enter"], told: "Enter", words: "open the lane's coroutine; fold or open a group" },
	pin: { keys: ["t"], told: "T", words: "pin the lane to the top, or take it away from there" },
	pinnedUp: { keys: ["shift+ArrowUp"], told: "Shift+↑", words: "pin the lane, and move it up" },
	pinnedDown: { keys: ["shift+ArrowDown"], told: "Shift+↓", words: "pin the lane, and move it down" },
	hide: { keys: ["x"], told: "X", words: "hide the lane" },
	showAll: { keys: ["shift+x"], told: "Shift+X", words: "show hidden lanes again" },
	sums: { keys: ["m"], told: "M", words: "sums of the range that is shown, of all coroutines" },
	nothing: { keys: ["Escape"], told: "Esc", words: "select nothing" },
});

/** What a mouse does on the timeline. */
export const TIMELINE_MOUSE: readonly Key[] = [
	{ keys: [], told: "Ctrl+wheel", words: "zoom at the cursor" }, { keys: [], told: "Shift+wheel", words: "to the left, to the right" },
	{ keys: [], told: "wheel", words: "other lanes" }, { keys: [], told: "drag", words: "move; over the axis: choose a range" },
	{ keys: [], told: "Shift+drag", words: "choose an area: sums of its coroutines and places" },
	{ keys: [], told: "drag a name", words: "to the top: pin the lane, and put it in its place there" },
];

export type Action = keyof typeof TIMELINE;

const actions = new Map<string, Action>(Object.entries(TIMELINE).flatMap(([action, { keys }]) => keys.map((key) => [key, action as Action] as [string, Action])));

/** Returns the action of a key on the timeline; undefined: none. */
export function actionOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">): Action | undefined {
	const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
	if (event.altKey)
		return undefined;
	if (event.ctrlKey || event.metaKey)
		return actions.get(`ctrl+${key}`);
	return (event.shiftKey && actions.get(`shift+${key}`)) || actions.get(key);
}
