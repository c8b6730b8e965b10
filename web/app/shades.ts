// SPDX-License-Identifier: MIT
//
// The causes by which a screen shades a wait: the kind of the resource; some kinds share a shade.

import { RESOURCES } from "./names";

export interface Cause {
	/** The name of the shade's colour (--wait-NAME), and its name in the legend. */
	name: string;
	/** The letter in a bar that has room for it. Letter and pattern show the cause; the colour repeats it. */
	letter: string;
	resources: readonly string[];
}

export const CAUSES: readonly Cause[] = [
	{ name: "lock", letter: "L", resources: ["lock", "semaphore", "condition"] },
	{ name: "channel", letter: "C", resources: ["channel", "queue"] },
	{ name: "descriptor", letter: "D", resources: ["descriptor"] },
	{ name: "timer", letter: "T", resources: ["timer"] },
	{ name: "coroutine", letter: "A", resources: ["coroutine", "frame", "remote"] },
	{ name: "other", letter: "", resources: [] },
];

const causeOf = RESOURCES.map((resource) => {
	const found = CAUSES.findIndex((cause) => cause.resources.includes(resource));
	return found < 0 ? CAUSES.length - 1 : found;
});

/** Returns the number of the cause for the number of a resource kind. */
export function causeOfResource(resource: number): number {
	return causeOf[resource] ?? CAUSES.length - 1;
}

