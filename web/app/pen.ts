// SPDX-License-Identifier: MIT
//
// Pens for pictures: a canvas, or a text that becomes an SVG file. Both take the same calls, so that the copy of a
// picture is the same picture.

/** The methods of a canvas context that pictures use. */
export interface Pen {
	fillStyle: string | CanvasGradient | CanvasPattern;
	strokeStyle: string | CanvasGradient | CanvasPattern;
	lineWidth: number;
	globalAlpha: number;
	font: string;
	textAlign: CanvasTextAlign;
	textBaseline: CanvasTextBaseline;
	fillRect(x: number, y: number, width: number, height: number): void;
	strokeRect(x: number, y: number, width: number, height: number): void;
	beginPath(): void;
	moveTo(x: number, y: number): void;
	lineTo(x: number, y: number): void;
	rect(x: number, y: number, width: number, height: number): void;
	arc(x: number, y: number, radius: number, from: number, until: number): void;
	fill(): void;
	stroke(): void;
	clip(): void;
	save(): void;
	restore(): void;
	setLineDash(lengths: number[]): void;
	fillText(text: string, x: number, y: number, widest?: number): void;
	measureText(text: string): { width: number };
}

const ANCHORS: Record<string, string> = { center: "middle", right: "end", end: "end" };

function round(value: number): string {
	return String(Math.round(value * 100) / 100);
}

function escaped(text: string): string {
	return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/[^\t\n\r\x20-\uffff]/g, "\ufffd");
}

/** Collects drawing calls; `text()` returns them as a complete file. */
export class SvgPen implements Pen {
	fillStyle: string | CanvasGradient | CanvasPattern = "#000";
	strokeStyle: string | CanvasGradient | CanvasPattern = "#000";
	lineWidth = 1;
	globalAlpha = 1;
	font = "12px sans-serif";
	textAlign: CanvasTextAlign = "left";
	textBaseline: CanvasTextBaseline = "alphabetic";
	private readonly parts: string[] = [];
	private readonly measure = document.createElement("canvas").getContext("2d")!;
	/** The number of groups that each save() has to close. */
	private readonly open: number[] = [];
	private path = "";
	private dashes = "";
	private nrClips = 0;

	constructor(private readonly width: number, private readonly height: number, private readonly title: string, ground: string) {
		this.fillStyle = ground;
		this.fillRect(0, 0, width, height);
	}

	text(): string {
		return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(this.width)} ${round(this.height)}" width="${round(this.width)}" ` +
			`height="${round(this.height)}" font-family="system-ui, sans-serif" font-size="12"><title>${escaped(this.title)}</title>\n` +
			`${this.parts.join("\n")}${"</g>".repeat(this.open.reduce((sum, one) => sum + one, 0))}\n</svg>\n`;
	}

	private look(kind: "fill" | "stroke"): string {
		const colour = escaped(String(kind === "fill" ? this.fillStyle : this.strokeStyle)), alpha = this.globalAlpha < 1 ? ` opacity="${round(this.globalAlpha)}"` : "";
		return kind === "fill" ? `fill="${colour}"${alpha}`
			: `fill="none" stroke="${colour}" stroke-width="${round(this.lineWidth)}"${this.dashes}${alpha}`;
	}

	private box(kind: "fill" | "stroke", x: number, y: number, width: number, height: number): void {
		this.parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(0, width))}" height="${round(Math.max(0, height))}" ${this.look(kind)}/>`);
	}

	fillRect(x: number, y: number, width: number, height: number): void {
		this.box("fill", x, y, width, height);
	}

	strokeRect(x: number, y: number, width: number, height: number): void {
		this.box("stroke", x, y, width, height);
	}

	beginPath(): void {
		this.path = "";
	}

	moveTo(x: number, y: number): void {
		this.path += `M${round(x)} ${round(y)}`;
	}

	lineTo(x: number, y: number): void {
		this.path += `L${round(x)} ${round(y)}`;
	}

	rect(x: number, y: number, width: number, height: number): void {
		this.path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
	}

	/** Draws a whole circle; other arcs are not needed. */
	arc(x: number, y: number, radius: number): void {
		this.path += `M${round(x - radius)} ${round(y)}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`;
	}

	fill(): void {
		this.parts.push(`<path d="${this.path}" ${this.look("fill")}/>`);
	}

	stroke(): void {
		this.parts.push(`<path d="${this.path}" ${this.look("stroke")}/>`);
	}

	save(): void {
		this.open.push(0);
	}

	clip(): void {
		const id = `clip${++this.nrClips}`;
		this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath><g clip-path="url(#${id})">`);
		if (!this.open.length)
			this.open.push(0);
		this.open[this.open.length - 1]! += 1;
	}

	restore(): void {
		this.parts.push("</g>".repeat(this.open.pop() ?? 0));
	}

	setLineDash(lengths: number[]): void {
		this.dashes = lengths.length ? ` stroke-dasharray="${lengths.join(" ")}"` : "";
	}

	measureText(text: string): { width: number } {
		this.measure.font = this.font;
		return this.measure.measureText(text);
	}

	fillText(text: string, x: number, y: number, widest?: number): void {
		if (!text)
			return;
		const middle = this.textBaseline === "middle" ? ` dominant-baseline="central"` : "", anchor = ANCHORS[this.textAlign];
		const squeezed = widest !== undefined && this.measureText(text).width > widest ? ` textLength="${round(widest)}" lengthAdjust="spacingAndGlyphs"` : "";
		const style = /^(\S+ )?([0-9.]+)px/.exec(this.font);
		this.parts.push(`<text x="${round(x)}" y="${round(y)}"${middle}${anchor ? ` text-anchor="${anchor}"` : ""}${squeezed} font-size="${style?.[2] ?? 12}"` +
			`${style?.[1] ? ` font-weight="${style[1].trim()}"` : ""} ${this.look("fill")}>${escaped(text)}</text>`);
	}
}
