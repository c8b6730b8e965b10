// SPDX-License-Identifier: MIT
//
// The address contains the view: "#timeline?from=10&until=20&selected=c1.1025". A screen reads the address, and changes
// it; a reader who opens the same address sees the same view.

export interface View {
	screen: string;
	arguments: URLSearchParams;
}

/** Arguments that are numbers: times in nanoseconds, ids, places. */
const NUMBERS = ["from", "until", "at", "selected", "event", "step", "id", "process", "site", "age", "least"];

/** Returns the view of the address. A numeric argument that is not a number is ignored. */
export function viewInUse(): View {
	const [screen, query] = location.hash.replace(/^#\/?/, "").split("?", 2), given = new URLSearchParams(query ?? "");
	for (const name of NUMBERS)
		if (given.has(name) && !Number.isFinite(Number(given.get(name) || NaN)))
			given.delete(name);
	return { screen: screen || "findings", arguments: given };
}

/** Returns an address such as "#timeline?..."; arguments that are undefined or "" are left out. */
export function addressOf(screen: string, given: Record<string, string | number | undefined> = {}): string {
	const query = new URLSearchParams();
	for (const [key, value] of Object.entries(given))
		if (value !== undefined && value !== "")
			query.set(key, String(value));
	const text = query.toString();
	return text ? `#${screen}?${text}` : `#${screen}`;
}

/** Goes to a view; the browser's back button returns. */
export function go(screen: string, given: Record<string, string | number | undefined> = {}): void {
	location.hash = addressOf(screen, given);
}

/** Changes arguments of this view: the address changes, but nothing is drawn again. */
export function note(changes: Record<string, string | number | undefined>): void {
	const { screen, arguments: present } = viewInUse();
	for (const [key, value] of Object.entries(changes)) {
		if (value === undefined || value === "")
			present.delete(key);
		else
			present.set(key, String(value));
	}
	const text = present.toString();
	history.replaceState(null, "", text ? `#${screen}?${text}` : `#${screen}`);
}
