// SPDX-License-Identifier: MIT
//
// Makes elements, each in one call. Texts come from the traced program: they become text nodes, never markup.

export type Child = Node | string | null | undefined | false | readonly Child[];
type Properties = Record<string, string | number | boolean | undefined | ((event: any) => void)>;

function append(to: Element, child: Child): void {
	if (Array.isArray(child))
		child.forEach((one) => append(to, one));
	else if (child !== null && child !== undefined && child !== false)
		to.append(child as Node | string);
}

/**
 * Makes an element: h("a", {href: "#findings", class: "quiet"}, "Findings"). A property that is a function becomes a
 * listener.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
	tag: K, properties: Properties | null, ...children: Child[]): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(properties ?? {})) {
		if (typeof value === "function")
			element.addEventListener(name, value);
		else if (value === true)
			element.setAttribute(name, "");
		else if (value !== undefined && value !== false)
			element.setAttribute(name, String(value));
	}
	append(element, children);
	return element;
}

/** A place in a text: ", folders/file.cpp:12". */
const FOLDERS = /(?<=, |^)(?:[^\s/,;]*\/)+(?=[^\s/,;]+:\d)/g;

/** Leaves out the folders of places in a title: links to the places have them. */
export function withoutFolders(text: string): string {
	return text.replace(FOLDERS, "");
}

/**
 * Replaces the children of an element. The element that had the focus gets it again; its id or its key identifies it.
 */
export function fill(element: Element, ...children: Child[]): void {
	const focused = document.activeElement;
	const key = focused && element.contains(focused) ? focused.id || focused.getAttribute("data-key") : null;
	element.replaceChildren();
	append(element, children);
	if (key)
		(element.querySelector<HTMLElement>(`#${CSS.escape(key)}`) ??
			element.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`))?.focus({ preventScroll: true });
}

/** Makes a button that copies a text, and confirms the copy in the button itself. */
export function copyButton(name: string, text: () => string | Promise<string>): HTMLButtonElement {
	return h("button", {
		class: "small", "data-copies": name,
		click: async (event: Event) => {
			const button = event.currentTarget as HTMLButtonElement;
			await navigator.clipboard.writeText(await text());
			button.textContent = "Copied";
			setTimeout(() => { button.textContent = name; }, 1500);
		},
	}, name);
}

export function colour(name: string): string {
	return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Gives a canvas this size in CSS pixels, sharp on every screen. */
export function sharpen(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
	const scale = window.devicePixelRatio || 1, context = canvas.getContext("2d")!;
	if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
		canvas.width = Math.round(width * scale);
		canvas.height = Math.round(height * scale);
	}
	context.setTransform(scale, 0, 0, scale, 0, 0);
	context.clearRect(0, 0, width, height);
	return context;
}
