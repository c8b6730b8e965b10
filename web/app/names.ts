// SPDX-License-Identifier: MIT
//
// Names of the numbers in answers. They are the engine's own tables, which the script is made with.

import kinds from "../../include/corotracer/def/kinds.def";
import resources from "../../include/corotracer/def/resources.def";

/** Of lines such as X(LOCK, 2, "lock", ...): the names by their numbers. */
function namesOf(table: string): readonly string[] {
	const names: string[] = [];
	for (const [, number, name] of table.matchAll(/^X\([A-Z_0-9]+, (\d+), "([^"]+)"/gm))
		names[Number(number)] = name!;
	return names;
}

/** Of events: "suspend", "resume", "wake". */
export const KINDS = namesOf(kinds);

/** What coroutines wait for: "lock", "channel". */
export const RESOURCES = namesOf(resources);
