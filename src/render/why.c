/* SPDX-License-Identifier: MIT */
/*
 * Why one coroutine does not run, as text: the chain of coroutines up to the one that must go on first, the await graph
 * around the coroutine, what the kernel reports about its threads, and the findings about any of these.
 */
#include <inttypes.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/safe.h"
#include "say/say.h"

static bool is_on_chain(const struct ct_report *report, uint64_t coro)
{
	uint32_t i;

	for (i = 0; i < report->nr_why; i++)
		if (report->why[i].coro == coro)
			return true;
	return coro == report->why_coro.id;
}

bool render_why_has_finding(const struct ct_report *report, const struct ct_finding *finding)
{
	uint32_t i;

	if (finding->process != report->why_coro.process)
		return false;
	for (i = 0; i < finding->nr_members; i++)
		if (is_on_chain(report, finding->members[i].coro.id))
			return true;
	return false;
}

static void findings_of(const struct page *page)
{
	const struct ct_report *report = page->report;
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++)
		if (render_why_has_finding(report, &report->findings[i]))
			render_page_title(page, &report->findings[i], true);
}

/* Each coroutine once, below the coroutine that must go on first. */
static void awaits(const struct page *page)
{
	const struct ct_report *report = page->report;
	struct text words = {0};
	uint32_t i, nr_columns;

	if (report->nr_awaits < 2)
		return;
	page->form->heading(page, HEADING_PART, "Who waits for whom");
	for (i = 0; i < report->nr_awaits; i++) {
		const struct ct_await *await = &report->awaits[i];

		nr_columns = 2 + 2 * await->depth;
		text_clear(&words);
		render_facts_await(&words, report->tables, await);
		if (await->depth == 0 && await->waits_for)
			text_format(&words, ": coroutine %" PRIu64 " must be resumed first",
				await->waits_for);
		if (await->nr_left_out)
			text_format(&words, "; %" PRIu64 " more wait for it", await->nr_left_out);
		text_format(page->text, "%*s", (int)nr_columns, "");
		render_text_wrapped(
			page, nr_columns, nr_columns + 4, text_peek(&words), words.length);
	}
	render_facts_drop(page->text, &words);
}

/* What was asked of the kernel, and how much is known. */
static void observation(const struct page *page)
{
	const struct ct_live *live = &page->report->live;
	struct text words = {0};

	text_format(&words, "process %" PRIu64 ": %s%s%s", live->pid, live->known,
		*live->trouble ? "; " : "", live->trouble);
	render_text_wrapped(page, 0, 2, text_peek(&words), words.length);
	render_facts_drop(page->text, &words);
}

/* What the kernel reports about every thread. */
static void looks(const struct page *page)
{
	const struct ct_live *live = &page->report->live;
	struct text words = {0};
	uint32_t i;

	if (live->nr_looks && page->report->nr_why)
		page->form->heading(page, HEADING_PART, "What its threads do");
	for (i = 0; i < live->nr_looks && i < FACTS_MAX_LIST; i++) {
		text_clear(&words);
		say_safe(&words, live->looks[i].text);
		text_add(page->text, "  ");
		render_text_wrapped(page, 2, 4, text_peek(&words), words.length);
	}
	render_facts_drop(page->text, &words);
	page->form->more(page, live->nr_looks - i, " threads");
}

/* What a look into memory saw of the coroutines of the chain: their variables, and what they await. */
static void sights(const struct page *page)
{
	const struct ct_report *report = page->report;
	struct text words = {0};
	uint32_t i, count = 0;

	for (i = 0; i < report->tables->nr_sights; i++) {
		const struct ct_sight *sight = &report->tables->sights[i];

		if (!sight->coro || !is_on_chain(report, sight->coro))
			continue;
		if (count++ == 0)
			page->form->heading(page, HEADING_PART, "What they have");
		text_clear(&words);
		text_format(&words, "coroutine %" PRIu64 ": ", sight->coro);
		say_safe(&words, sight->text);
		if (sight->begun != CT_NO_TIME) {
			text_add(&words, ", as seen at ");
			say_time(&words, sight->begun);
		}
		text_add(page->text, "  ");
		render_text_wrapped(page, 2, 4, text_peek(&words), words.length);
	}
	render_facts_drop(page->text, &words);
}

void render_page_why(const struct page *page)
{
	const struct ct_report *report = page->report;
	uint32_t i;

	if (report->nr_why) {
		text_format(page->text, "coroutine %" PRIu64 " of ", report->why_coro.id);
		say_program(page->text, &report->tables->processes[report->why_coro.process]);
		text_format(page->text, ": %s\n",
			report->why_coro.is_yielding ? "at a yield"
						     : render_state(report->why_coro.state));
	}
	if (report->live.pid)
		observation(page);
	text_char(page->text, '\n');
	for (i = 0; i < report->nr_why; i++)
		render_page_step(page, i + 1, &report->why[i]);
	sights(page);
	awaits(page);
	looks(page);
	findings_of(page);
}
