# SPDX-License-Identifier: MIT
"""Tests in a real browser that the pictures of all cases' findings can be read, wide and narrow: no words lie over
others, over a mark or over an arrow; none are cut at an edge; no fold crosses the words about states left out,
and no two moments on an axis are written alike."""
import pathlib
import re
import subprocess

from browser import open_browser
from support import BUILD, SOURCE, check

DRAWN = BUILD / "tests/cases/draw_case"

# The boxes of words that can be seen; the names of lanes are drawn over arrows, on a ground of their own.
TOUCHED = """[...document.querySelectorAll('svg.picture')].map((picture) => {
	const edge = picture.getBoundingClientRect(), said = [];
	const numbers = new Set([...picture.querySelectorAll('circle.mark')].map((mark) => mark.nextElementSibling));
	const boxOf = (text) => {
		const whole = text.getBoundingClientRect(), frame = text.parentElement.localName === 'svg' ? text.parentElement.getBoundingClientRect() : edge;
		return { words: text.textContent, left: Math.max(whole.left, frame.left), right: Math.min(whole.right, frame.right), top: whole.top + 2, bottom: whole.bottom - 2,
			isCut: whole.left < edge.left - 1 || whole.right > edge.right + 1, text };
	};
	const meet = (one, other) => one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1;
	const boxes = [...picture.querySelectorAll('text')].filter((text) => text.textContent.trim()).map(boxOf);
	const things = [...picture.querySelectorAll('circle.mark, circle.ring, path.arrow, path.wish, path.tip, path.wish-tip, path.never')]
		.filter((one) => one.localName !== 'circle' || one.r.baseVal.value > 7);
	boxes.forEach((box, at) => {
		if (box.isCut)
			said.push(`${box.words} is cut`);
		for (const other of boxes.slice(at + 1))
			if (meet(box, other))
				said.push(`${box.words} lies over ${other.words}`);
		if (numbers.has(box.text) || box.text.matches('.strong.halo[x="24"]'))
			return;
		for (const thing of things) {
			const { left, right, top, bottom } = thing.getBoundingClientRect();
			if (meet({ left: left - 1, right: right + 1, top, bottom }, box))
				said.push(`${box.words} touches a ${thing.getAttribute('class')}`);
		}
		const ground = box.text.previousElementSibling?.getBoundingClientRect();
		if (/ more states?$/.test(box.words) && !(ground.left <= box.left && ground.right >= box.right))
			said.push(`${box.words} has no ground`);
	});
	const times = boxes.map(({ words }) => words).filter((words) => /^\\d+\\.\\d{6} s$/.test(words));
	if (new Set(times).size < times.length)
		said.push(`two moments are written alike: ${times}`);
	return said;
})"""
EACH = 50  # pictures in a document


def drawn():
    """Returns [(form, case, number, picture)] of all cases, and the style of pictures."""
    cases = sorted(map(str, (SOURCE / "tests/cases").glob("*.case")))
    told = subprocess.run([DRAWN, *cases], capture_output=True, check=True).stdout.decode()
    parts = re.split(r"^== (svg|narrow|mermaid) (.+) (\d+)\n", told, flags=re.MULTILINE)[1:]
    pictures = [(parts[i], pathlib.Path(parts[i + 1]).stem, parts[i + 2], parts[i + 3]) for i in range(0, len(parts), 4) if parts[i] != "mermaid"]
    return pictures, re.search(r"<style>(.*?)</style>", told, re.DOTALL)[1]


def main():
    pictures, style = drawn()
    check(len(pictures) > 800, f"only {len(pictures)} pictures were drawn")
    with open_browser(__file__) as browser:
        page = browser.new_page(viewport={"width": 1600, "height": 1200})
        for first in range(0, len(pictures), EACH):
            part = pictures[first:first + EACH]
            page.set_content(f"<style>{style}</style>" + "".join(f"<div>{picture}</div>" for *_, picture in part))
            touched = page.evaluate(TOUCHED)
            check(len(touched) == len(part), f"{len(touched)} of {len(part)} pictures are shown")
            for (form, case, number, _), said in zip(part, touched):
                check(not said, f"{form} {case} {number}: {said}")


main()
