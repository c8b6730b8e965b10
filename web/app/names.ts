// SPDX-License-Identifier: MIT
//
// Names of the numbers in answers. The names come from the engine's own tables, which are compiled into the script.

import categories from "../../include/corotracer/def/categories.def";
import doubts from "../../include/corotracer/def/doubts.def";
import kinds from "../../include/corotracer/def/kinds.def";
import states from "../../include/corotracer/def/states.def";
import standings from "../../include/corotracer/def/standings.def";
import resources from "../../include/corotracer/def/resources.def";
import requests from "../../src/ask/requests.def";

/** Returns the names by their numbers, from lines such as X(LOCK, 2, "lock", ...). */
function namesOf(table: string): readonly string[] {
	const names: string[] = [];
	for (const [, number, name] of table.matchAll(/^X\([A-Z_0-9]+, (\d+), "([^"]+)"/gm))
		names[Number(number)] = name!;
	return names;
}

/** Names of events: "suspend", "resume", "wake". */
export const KINDS = namesOf(kinds);

/** What coroutines wait for: "lock", "channel". */
export const RESOURCES = namesOf(resources);

/** The subjects of statements about the observation as a whole, in their order. */
export const STANDINGS = [...standings.matchAll(/^X\([A-Z_]+, "([^"]+)"/gm)].map(([, name]) => name!);

/** Doubts about an observation: the name of the number in a report, and the words behind 1 and behind any other number. */
export const DOUBTS: readonly { name: string; one: string; several: string }[] =
	[...doubts.matchAll(/^X\([\w.]+, (\w+), "([^"]+)", "([^"]+)"\)/gm)].map(([, name, one, several]) => ({ name: name!, one: one!, several: several! }));

/** The states of a coroutine by their numbers: the name in answers, and the words on screens. */
export const STATE_WORDS: readonly (readonly [string, string])[] =
	[...states.matchAll(/^X\([A-Z]+, "([^"]+)", "([^"]+)"\)/gm)].map(([, name, words]) => [name!, words!]);

/**
 * Categories of events that a recording can leave out, and what they contain. Number 0, scheduling, is always recorded.
 */
export const CATEGORIES: readonly { number: number; name: string; meaning: string }[] =
	[...categories.matchAll(/^X\([A-Z_]+, (\d+), "([^"]+)", \w+, "([^"]+)"\)/gm)]
		.map(([, number, name, meaning]) => ({ number: Number(number), name: name!, meaning: meaning! })).filter(({ number }) => number !== 0);

const [report, sites, style, overview] = [...requests.matchAll(/^F\("([^"]+)"\)/gm)].map(([, line]) => line!) as [string, string, string, string];

/** The first requests of a page; a page that is a single file holds the answers. */
export const FIRST_REQUESTS = { report, sites, style, overview };
