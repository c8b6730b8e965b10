/* SPDX-License-Identifier: MIT */
/*
 * The runs of a comparison, and its course: reports are read as they are added, and compared together.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/io.h"
#include "base/known_options.h"
#include "diff/diff.h"

static const struct {
	const char *name;
	bool is_time;
	bool tells_presence;
} measures[] = {
#define M(name, text, is_time, tells_presence, meaning) {text, is_time, tells_presence},
#include "corotracer/def/measures.def"
#undef M
};

static const char *const changes[] = {
	"none",
#define C(name, text, meaning) text,
#include "corotracer/def/changes.def"
#undef C
};

const char *ct_measure_name(enum ct_measure measure)
{
	return (unsigned)measure < CT_NR_MEASURES ? measures[measure].name : "unknown";
}

const char *ct_change_name(enum ct_change change)
{
	return (unsigned)change < CT_NR_CHANGES ? changes[change] : "unknown";
}

bool diff_is_time(enum ct_measure measure)
{
	return measures[measure].is_time;
}

bool diff_tells_presence(enum ct_measure measure)
{
	return measures[measure].tells_presence;
}

/* ---------------------------------------------------------------- the object */

/* Written so that NaN is refused. */
static bool are_possible(const struct ct_diff_options *options)
{
	return (unsigned)options->statistic <= CT_DIFF_MEAN && options->significance > 0 &&
	       options->significance < 1 && options->least >= 1 && options->factor >= 1;
}

static void complete(struct ct_diff_options *options)
{
	options->significance = options->significance == 0 ? 0.05 : options->significance;
	options->least = options->least == 0 ? 1.05 : options->least;
	options->factor = options->factor == 0 ? 2 : options->factor;
}

enum ct_status ct_diff_new(
	const struct ct_diff_options *options, struct ct_diff **ret_diff, struct ct_error *reterr)
{
	struct ct_diff *diff = calloc(1, sizeof(*diff));

	if (!diff)
		return ct_fail_memory(reterr);
	known_options(&diff->options, sizeof(diff->options), options);
	complete(&diff->options);
	if (!are_possible(&diff->options)) {
		free(diff);
		return ct_fail(reterr, CT_ERR_USAGE,
			"a significance lies between 0 and 1, a factor is 1 or more");
	}
	arena_init(&diff->lasting);
	arena_init(&diff->judged);
	*ret_diff = diff;
	return CT_OK;
}

void ct_diff_free(struct ct_diff *diff)
{
	if (!diff)
		return;
	arena_fini(&diff->lasting);
	arena_fini(&diff->judged);
	vec_fini(&diff->items);
	vec_fini(&diff->runs);
	vec_fini(&diff->series);
	vec_fini(&diff->results);
	free(diff);
}

/* A run that was not read completely is not added. */
enum ct_status ct_diff_add(struct ct_diff *diff, bool is_after, const struct ct_report *report,
	struct ct_error *reterr)
{
	size_t nr_items = diff->items.count;

	diff->is_judged = false;
	if (!diff_gather(diff, report, is_after)) {
		diff->items.count = nr_items;
		return ct_fail_memory(reterr);
	}
	*(is_after ? &diff->nr_after : &diff->nr_before) += 1;
	return CT_OK;
}

/* ---------------------------------------------------------------- judging */

/* The size of a difference, whatever its direction. */
static double extent(const struct ct_difference *difference)
{
	double far = fmax(fabs(difference->before), fabs(difference->after));

	return far > 0 ? fabs(difference->after - difference->before) / far : 0;
}

/* Unchanged items come last; the others keep the order in which they were found. */
static int compare_results(const void *a, const void *b)
{
	const struct ct_difference *x = a, *y = b;
	unsigned of_x = x->change ? x->change : CT_NR_CHANGES;
	unsigned of_y = y->change ? y->change : CT_NR_CHANGES;
	int order = (of_x > of_y) - (of_x < of_y);
	double far_x = extent(x), far_y = extent(y);

	order = order ? order : (far_x < far_y) - (far_x > far_y);
	order = order ? order : (x->measure > y->measure) - (x->measure < y->measure);
	order = order ? order : strcmp(x->file, y->file);
	order = order ? order : (x->line_after > y->line_after) - (x->line_after < y->line_after);
	return order ? order : strcmp(x->what, y->what);
}

static bool list_results(struct ct_diff *diff)
{
	size_t i;

	diff->results.count = 0;
	for (i = 0; i < diff->series.count; i++)
		if (!vec_push(&diff->results, diff->series.at[i].difference))
			return false;
	if (diff->results.count)
		qsort(diff->results.at, diff->results.count, sizeof(*diff->results.at),
			compare_results);
	return true;
}

enum ct_status ct_diff_judge(struct ct_diff *diff, struct ct_error *reterr)
{
	diff->is_judged = false;
	arena_fini(&diff->judged);
	if (!diff->nr_before || !diff->nr_after)
		return ct_fail(reterr, CT_ERR_USAGE, "a comparison needs a run on each side");
	if (!diff_pair(diff) || !diff_compare(diff) || !list_results(diff))
		return ct_fail_memory(reterr);
	diff->is_judged = true;
	return CT_OK;
}

const struct ct_difference *ct_diff_peek(const struct ct_diff *diff, uint32_t *ret_count)
{
	*ret_count = diff->is_judged ? (uint32_t)diff->results.count : 0;
	return diff->results.at;
}

bool ct_diff_is_tested(const struct ct_diff *diff)
{
	return diff->is_tested;
}

/* ---------------------------------------------------------------- writing */

static enum ct_status write_form(const struct ct_diff *diff,
	const struct ct_diff_write_options *options, struct text *text, struct ct_error *reterr)
{
	switch (options->format) {
	case CT_DIFF_TEXT:
		diff_write_text(text, diff, options);
		return text_status(text, reterr);
	case CT_DIFF_MARKDOWN:
		diff_write_markdown(text, diff, options);
		return text_status(text, reterr);
	case CT_DIFF_JSON:
		diff_write_json(text, diff, options);
		return text_status(text, reterr);
	}
	return ct_fail(reterr, CT_ERR_USAGE, "comparisons have no format %d", (int)options->format);
}

enum ct_status ct_diff_write(const struct ct_diff *diff, const struct ct_diff_write_options *given,
	const char *path, struct ct_error *reterr)
{
	struct ct_diff_write_options options;
	struct text text = {0};
	enum ct_status status;

	known_options(&options, sizeof(options), given);
	if (!diff->is_judged)
		return ct_fail(reterr, CT_ERR_USAGE, "no comparison was made yet");
	options.before = options.before ? options.before : "before";
	options.after = options.after ? options.after : "after";
	status = write_form(diff, &options, &text, reterr);
	if (status == CT_OK)
		status = io_write_file(path, text_peek(&text), text.length, reterr);
	text_fini(&text);
	return status;
}
