// SPDX-License-Identifier: MIT
//
// The lanes of descriptors: those of the picture of a finding, with the time at which each was closed.

import { askRows } from "./carrier";
import type { Lane } from "./lanes";
import { RESOURCES } from "./names";
import type { Finding } from "./trace";

const DESCRIPTOR = BigInt(RESOURCES.indexOf("descriptor"));

/** One of the descriptors that had the same number, one after the other. */
interface Named {
	process: number;
	number: number;
	generation: number;
	name: string;
	hint: string;
}

/** Behind a lane's name is room for little: "connection" of a number's first descriptor, "generation 2" of a later one. */
function hintOf(within: string): string {
	return /generation (?!1$)\d+$/.exec(within)?.[0] ?? within.replace(/,? ?generation 1$/, "");
}

function namedBy(finding: Finding | undefined): Named[] {
	return (finding?.picture?.lanes ?? []).flatMap(({ kind, name, process, object }) => {
		const handle = BigInt(object || 0);
		if (kind !== "resource" || handle >> 56n !== DESCRIPTOR)
			return [];
		const [, before, within] = /^([^(]*?)(?: \((.*)\))?$/.exec(name) ?? ["", name, ""];
		return [{ process: process ?? 1, number: Number(handle & 0xffffffffn), generation: Number(handle >> 32n & 0xffffffn), name: before!, hint: hintOf(within ?? "") }];
	});
}

/** Returns the lane of a descriptor without the time of its closing. The handle names a number, whatever its generation. */
function laneOf({ process, number, name, hint }: Named): Lane {
	const object = (DESCRIPTOR << 56n | BigInt(number)).toString();
	return { key: `o${process}.${object}`, name, hint, process, coroutine: 0, thread: 0, object, begun: NaN, ended: NaN };
}

/** Asks for the lanes of the descriptors in the finding's picture, in its order. */
export async function askDescriptors(finding: Finding | undefined): Promise<Lane[]> {
	const named = namedBy(finding), numbers = named.map(({ number }) => number);
	if (!named.length)
		return [];
	const rows = await askRows("select", {
		table: "descriptors", columns: "process,descriptor,generation,closed_ns",
		where: [`descriptor>=${Math.min(...numbers)}`, `descriptor<=${Math.max(...numbers)}`, "closed_ns!="], order: "-closed_ns" });
	const lanes = named.map((one) => ({ ...laneOf(one), generation: one.generation, number: one.number }));
	for (let row = 0; row < rows.nrRows; row++)
		for (const lane of lanes)
			if (lane.process === rows.number(0, row) && lane.number === rows.number(1, row) && (!lane.generation || lane.generation === rows.number(2, row)) && Number.isNaN(lane.ended))
				lane.ended = rows.number(3, row);
	return lanes;
}
