/* SPDX-License-Identifier: MIT */
/*
 * A profile as a flame graph: one SVG that refers to nothing outside itself.
 *
 * A box is a nested svg element, which clips its text; its place and width are percentages, so the picture fits any
 * window. The title of a box says what it means, and is shown even without script. The script uses only the titles: it
 * widens the box that is clicked, and marks boxes that match a search.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "profile/stacks.h"
#include "say/safe.h"

#define ROW_PIXELS 18u
#define HEAD_PIXELS 56u
#define NARROWEST 0.02 /* percent: a box narrower than a pixel is left out */

static const char style[] = "<style>\n"
			    "svg{font:12px system-ui,sans-serif;color-scheme:light dark}\n"
			    ".ground{fill:#fff}.word{fill:#1c2024}.quiet{fill:#5b6570}\n"
			    "@media(prefers-color-scheme:dark){.ground{fill:#14171b}.word{fill:#"
			    "e3e7eb}.quiet{fill:#98a2ad}}\n"
			    ".box{cursor:pointer}.box text{fill:#1c2024;pointer-events:none}.box "
			    "rect{stroke:#fff;stroke-width:.5}\n"
			    ".box:hover rect{stroke:#000;stroke-width:1.5}.hit "
			    "rect{fill:#c9a7f0}.act{cursor:pointer;text-decoration:underline}\n"
			    "</style>\n";

static const char script[] =
	"<script><![CDATA[\n"
	"const "
	"boxes=[...document.querySelectorAll('.box')].map(e=>({e,x:parseFloat(e.getAttribute('x')),"
	"\n"
	" w:parseFloat(e.getAttribute('width')),t:e.firstElementChild.textContent}));\n"
	"function zoom(x,w){for(const b of boxes){const "
	"l=Math.max(b.x,x),r=Math.min(b.x+b.w,x+w);\n"
	" b.e.style.display=r-l>1e-9?'':'none';\n"
	" b.e.setAttribute('x',(l-x)/w*100+'%');b.e.setAttribute('width',Math.max(0,r-l)/"
	"w*100+'%')}}\n"
	"function mark(word){for(const b of boxes)\n"
	" b.e.classList.toggle('hit',!!word&&b.t.toLowerCase().includes(word.toLowerCase()))}\n"
	"for(const b of boxes)b.e.addEventListener('click',()=>zoom(b.x,b.w));\n"
	"document.getElementById('all').addEventListener('click',()=>zoom(0,100));\n"
	"document.getElementById('search').addEventListener('click',()=>mark(prompt('search "
	"for')));\n"
	"]]></script>\n";

/* A stack and its children, by parent, the largest first. */
struct branch {
	uint32_t parent;
	uint32_t stack;
	int64_t ns;
};

struct flame {
	const struct profile *profile;
	struct text *text;
	struct branch *branches;
	/* indexed by stack: its first branch; the branches behind it have the same parent */
	uint32_t *first;
	uint32_t *row;      /* indexed by stack: the row of its innermost function, from 1 */
	int64_t *totals;    /* indexed by stack: its own amount and that of all stacks on top */
	uint32_t nr_stacks; /* the root included */
	uint32_t nr_rows;
};

/* ---------------------------------------------------------------- sums */

static int compare_branches(const void *left, const void *right)
{
	const struct branch *a = left, *b = right;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->stack < b->stack ? -1 : a->stack > b->stack;
}

/* Clocks that disagree can make a time negative; such a time cannot be drawn. */
static void add_up(struct flame *flame)
{
	const struct profile_stack *all = flame->profile->stacks.all.at;
	uint32_t i;

	for (i = flame->nr_stacks - 1; i > 0; i--) {
		flame->totals[i] += all[i].ns > 0 ? all[i].ns : 0;
		flame->totals[all[i].parent] += flame->totals[i];
	}
	for (i = 1; i < flame->nr_stacks; i++) {
		flame->row[i] = flame->row[all[i].parent] + flame->profile->names[i].nr_lines;
		if (flame->totals[i] && flame->row[i] > flame->nr_rows)
			flame->nr_rows = flame->row[i];
		flame->branches[i - 1] = (struct branch){all[i].parent, i, flame->totals[i]};
	}
	qsort(flame->branches, flame->nr_stacks - 1, sizeof(*flame->branches), compare_branches);
	for (i = flame->nr_stacks - 1; i > 0; i--)
		flame->first[flame->branches[i - 1].parent] = i;
}

/* ---------------------------------------------------------------- drawing */

/* Warm colours; the same name always has the same colour. */
static unsigned hue_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash % 50;
}

static void say_escaped(struct text *text, const struct text *part)
{
	say_html(text, text_peek(part), part->length);
	text->is_broken |= part->is_broken;
}

static void draw_box(const struct flame *flame, uint32_t stack, uint32_t line, double x)
{
	const struct profile_line *at = &flame->profile->names[stack].lines[line];
	double whole = (double)flame->totals[0], ns = (double)flame->totals[stack];
	unsigned y = HEAD_PIXELS + (flame->nr_rows - flame->row[stack] + line) * ROW_PIXELS;
	struct text *text = flame->text, name = {0};

	profile_say_line(&name, at);
	text_format(text,
		"<svg class=\"box\" x=\"%.4f%%\" y=\"%u\" width=\"%.4f%%\" height=\"%u\"><title>",
		x * 100 / whole, y, ns * 100 / whole, ROW_PIXELS);
	say_escaped(text, &name);
	text_add(text, ": ");
	profile_say_amount(text, flame->profile, flame->totals[stack]);
	text_format(text,
		", %.2f%%</title><rect width=\"100%%\" height=\"100%%\" "
		"fill=\"hsl(%u,80%%,70%%)\"/><text x=\"3\" y=\"13\">",
		ns * 100 / whole, hue_of(at->function));
	say_escaped(text, &name);
	text_add(text, "</text></svg>\n");
	text_fini(&name);
}

static void draw_upon(const struct flame *flame, uint32_t parent, double x)
{
	uint32_t i = flame->first[parent], line;

	for (; i && i < flame->nr_stacks && flame->branches[i - 1].parent == parent; i++) {
		const struct branch *branch = &flame->branches[i - 1];

		if ((double)branch->ns * 100 < NARROWEST * (double)flame->totals[0])
			return;
		for (line = flame->profile->names[branch->stack].nr_lines; line > 0; line--)
			draw_box(flame, branch->stack, line - 1, x);
		draw_upon(flame, branch->stack, x);
		x += (double)branch->ns;
	}
}

static void draw_head(const struct flame *flame, unsigned height)
{
	const struct profile *profile = flame->profile;
	struct text *text = flame->text;

	text_format(text,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"%u\">\n"
		"<title>corotracer profile: %s</title>\n%s"
		"<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n"
		"<text class=\"word\" x=\"6\" y=\"20\" font-size=\"15\">%s: ",
		height, ct_profile_name(profile->options.profile), style,
		ct_profile_name(profile->options.profile));
	profile_say_amount(text, profile, profile->total_ns);
	text_format(text, "</text>\n<text class=\"quiet\" x=\"6\" y=\"38\">%s",
		ct_profile_meaning(profile->options.profile));
	if (profile->nr_lost)
		text_format(text, "; %" PRIu64 " events are lost", profile->nr_lost);
	text_add(text, "</text>\n"
		       "<text id=\"all\" class=\"word act\" x=\"99%\" y=\"20\" "
		       "text-anchor=\"end\">show all</text>\n"
		       "<text id=\"search\" class=\"word act\" x=\"99%\" y=\"38\" "
		       "text-anchor=\"end\">search</text>\n");
}

static void draw(struct flame *flame)
{
	add_up(flame);
	draw_head(flame, HEAD_PIXELS + (flame->nr_rows + 1) * ROW_PIXELS);
	if (flame->totals[0])
		draw_upon(flame, 0, 0);
	text_add(flame->text, script);
	text_add(flame->text, "</svg>\n");
}

void profile_write_svg(struct text *text, const struct profile *profile)
{
	uint32_t count = (uint32_t)profile->stacks.all.count;
	struct flame flame = {.profile = profile, .text = text, .nr_stacks = count};

	flame.branches = calloc(count, sizeof(*flame.branches));
	flame.first = calloc(count, sizeof(*flame.first));
	flame.row = calloc(count, sizeof(*flame.row));
	flame.totals = calloc(count, sizeof(*flame.totals));
	if (flame.branches && flame.first && flame.row && flame.totals)
		draw(&flame);
	else
		text->is_broken = true;
	free(flame.branches);
	free(flame.first);
	free(flame.row);
	free(flame.totals);
}
