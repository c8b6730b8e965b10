/* SPDX-License-Identifier: MIT */
/*
 * Reporting what is wanted in the trace, and changing it while records come. The earlier wishes hold up to the moment
 * of a change: losses so far are reported first, and then the note about the change.
 */
#include "stages/filter_parts.h"
#include "base/text.h"

/* ---------------------------------------------------------------- sites that are matched again */

static bool copy_text(const char *text, char **ret_copy)
{
	*ret_copy = text ? strdup(text) : NULL;
	return *ret_copy || !text;
}

static void free_site(struct filter_site *site)
{
	size_t i;

	for (i = 0; i < sizeof(site->texts) / sizeof(site->texts[0]); i++)
		free(site->texts[i]);
}

bool filter_keep_site(struct filter *filter, const struct ct_define_site *site)
{
	struct filter_site kept = {.segment = site->segment, .id = site->id, .line = site->line};
	bool is_whole;

	if (filter->known_sites.count >= FILTER_SITES_KEPT)
		return true;
	is_whole = copy_text(site->function, &kept.texts[0]);
	is_whole &= copy_text(site->file, &kept.texts[1]);
	is_whole &= copy_text(site->reason, &kept.texts[2]);
	if (is_whole && vec_push(&filter->known_sites, kept))
		return true;
	free_site(&kept);
	return false;
}

void filter_forget_sites(struct filter *filter)
{
	size_t i;

	for (i = 0; i < filter->known_sites.count; i++)
		free_site(&filter->known_sites.at[i]);
	vec_fini(&filter->known_sites);
}

/* Matches sites in the order in which they were defined: if a site was defined twice, the later definition counts. */
static bool match_sites(struct filter *filter)
{
	size_t i;

	for (i = 0; i < filter->known_sites.count; i++) {
		const struct filter_site *kept = &filter->known_sites.at[i];
		struct ct_define_site site = {
			.segment = kept->segment,
			.id = kept->id,
			.function = kept->texts[0],
			.file = kept->texts[1],
			.reason = kept->texts[2],
			.line = kept->line,
		};

		if (!filter_match_site(filter, &site))
			return false;
	}
	return true;
}

static enum ct_status change_patterns(struct filter *filter, struct patterns *patterns,
	const char *const *to, struct ct_error *reterr)
{
	struct patterns changed;

	if (!filter_patterns_copy(&changed, to)) {
		filter_patterns_fini(&changed);
		return ct_fail_memory(reterr);
	}
	filter_patterns_fini(patterns);
	*patterns = changed;
	filter->has_coros = true;
	return match_sites(filter) ? CT_OK : ct_fail_memory(reterr);
}

/* ---------------------------------------------------------------- the note of what is wanted */

static void list_patterns(struct text *text, const char *what, const struct patterns *patterns)
{
	char **at;

	for (at = patterns->at; at && *at; at++)
		text_format(text, "%s%s '%s'", text->length ? ", " : "", what, *at);
}

static void list_categories(struct text *text, uint32_t categories_off)
{
#define X(name, number, word, is_evidence, meaning) \
	if (categories_off >> number & 1)           \
		text_format(text, "%scategory %s", text->length ? ", " : "", word);
#include "corotracer/def/categories.def"
#undef X
}

/*
 * The trace contains the note from its beginning, so that the reader has the note even if the end of the trace is
 * missing.
 */
enum ct_status filter_tell_options(struct filter *filter, const char *when, struct ct_error *reterr)
{
	struct text text = {0}, sentence = {0};
	enum ct_status status = CT_OK;

	if (filter->sample > 1)
		text_format(&text, "all coroutines but 1 in %u", filter->sample);
	if (filter->sample_of_new > 1)
		text_format(&text, "%sall coroutines that are created but 1 in %u",
			text.length ? ", " : "", filter->sample_of_new);
	list_categories(&text, filter->categories_off);
	list_patterns(&text, "places", &filter->sites);
	list_patterns(&text, "names", &filter->names);
	list_patterns(&text, "tasks", &filter->tasks);
	if (!text.length && *when)
		text_add(&text, "nothing");
	if (text.length) {
		text_format(&sentence, "left out, as asked%s: %s", when, text_peek(&text));
		status = text.is_broken || sentence.is_broken
				 ? ct_fail_memory(reterr)
				 : filter_note(filter, text_peek(&sentence), 1, reterr);
	}
	text_fini(&text);
	text_fini(&sentence);
	return status;
}

/* ---------------------------------------------------------------- the window */

static enum ct_status start(struct filter *filter, struct ct_error *reterr)
{
	filter->is_stopped = false;
	if (filter->is_open)
		return CT_OK;
	return filter_open_window(filter, reterr);
}

static enum ct_status stop(struct filter *filter, struct ct_error *reterr)
{
	if (!filter->is_open)
		return CT_OK;
	filter->is_open = false;
	filter->is_stopped = true;
	return filter_note(filter,
		"recording was stopped by an order; events are missing until it was started again",
		1, reterr);
}

/* ---------------------------------------------------------------- all changes */

static enum ct_status apply(
	struct filter *filter, const struct filter_change *change, struct ct_error *reterr)
{
	switch (change->subject) {
	case FILTER_START:
		return start(filter, reterr);
	case FILTER_STOP:
		return stop(filter, reterr);
	case FILTER_CATEGORIES:
		filter->categories_off = change->number & ~UINT32_C(1);
		filter->was_changed = true;
		return CT_OK;
	case FILTER_SAMPLE:
		filter->sample_of_new = change->number;
		filter->has_coros = true;
		return CT_OK;
	case FILTER_SITES:
		return change_patterns(filter, &filter->sites, change->patterns, reterr);
	case FILTER_NAMES:
		return change_patterns(filter, &filter->names, change->patterns, reterr);
	case FILTER_TASKS:
		return change_patterns(filter, &filter->tasks, change->patterns, reterr);
	}
	return CT_OK;
}

bool filter_is_open(const struct ct_sink *sink)
{
	return ((const struct filter *)(const void *)sink)->is_open;
}

uint32_t filter_categories_off(const struct ct_sink *sink)
{
	return ((const struct filter *)(const void *)sink)->categories_off;
}

enum ct_status filter_change(
	struct ct_sink *sink, const struct filter_change *change, struct ct_error *reterr)
{
	struct filter *filter = (struct filter *)(void *)sink;
	bool is_window = change->subject == FILTER_START || change->subject == FILTER_STOP;
	enum ct_status status;

	if (!filter->inner)
		return ct_fail(reterr, CT_ERR_USAGE, "the recording is over");
	if (filter->was_changed)
		filter_note_categories(filter);
	status = filter_tell_losses(filter, change->now_ns, reterr);
	if (status == CT_OK)
		status = apply(filter, change, reterr);
	if (status || is_window)
		return status;
	return filter_tell_options(filter, " while it was recorded", reterr);
}
