// SPDX-License-Identifier: MIT
//
// Where a thread was while it ran a coroutine: the functions that samples found it in.

import { traceFileInCommands } from "./carrier";
import { h } from "./dom";
import { percent } from "./say";
import { listed } from "./table";
import { placeLink, type RunSamples } from "./trace";

/** The functions, the hottest first. Null: there are no samples. */
export function hotFunctions({ count, functions }: RunSamples): HTMLElement | null {
	if (!count)
		return null;
	return listed({
		label: "Where the thread was", heads: ["share", "samples", "function", "place"], isNumber: (column) => column < 2,
		command: `corotracer profile --type samples ${traceFileInCommands()}`,
		rows: functions.map((one) => [percent(one.samples, count), String(one.samples), one.function || h("span", { class: "quiet" }, "no name"),
			placeLink(one.site, one.file ? `${one.file.slice(one.file.lastIndexOf("/") + 1)}:${one.line}` : undefined)]),
	});
}
