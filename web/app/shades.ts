// SPDX-License-Identifier: MIT
//
// The causes by which a screen shades a wait: what is waited for, some of a kind as one.

import { RESOURCES } from "./names";

export interface Cause {
	/** Of its colour (--wait-NAME), and in the legend. */
	name: string;
	/** In a bar that has room for it: a cause is told by its letter and by its pattern, colour repeats them. */
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

/** The number of the cause, of a resource's number. */
export function causeOfResource(resource: number): number {
	return causeOf[resource] ?? CAUSES.length - 1;
}
