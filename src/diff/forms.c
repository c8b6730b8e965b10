/* SPDX-License-Identifier: MIT */
/*
 * A comparison as text for people, as Markdown for a pull request, and as JSON for programs.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json_write.h"
#include "diff/diff.h"
#include "render/table.h"
#include "say/safe.h"
#include "say/say.h"

static const char *const statistics[] = {
	[CT_DIFF_P50] = "median",
	[CT_DIFF_P90] = "p90",
	[CT_DIFF_P99] = "p99",
	[CT_DIFF_MEAN] = "mean",
};

static size_t nr_changed(const struct ct_diff *diff)
{
	size_t count = 0;

	while (count < diff->results.count && diff->results.at[count].change)
		count++;
	return count;
}

/* ---------------------------------------------------------------- sentences */

static void say_sides(
	struct text *text, const struct ct_diff *diff, const struct ct_diff_write_options *options)
{
	say_safe(text, options->before);
	text_add(text, " (");
	say_count(text, diff->nr_before, "run", "runs");
	text_add(text, ") against ");
	say_safe(text, options->after);
	text_add(text, " (");
	say_count(text, diff->nr_after, "run", "runs");
	text_add(text, ")");
}

/* Says what the rows mean, and how far they can be trusted. */
static void say_method(struct text *text, const struct ct_diff *diff)
{
	const struct ct_diff_options *options = &diff->options;

	if (diff->is_tested)
		text_format(text,
			"Each run counts once, with its %s. Told is what differs at a significance "
			"of %g, corrected for "
			"all places, and by a factor of %g.",
			statistics[options->statistic], options->significance, options->least);
	else if (diff->nr_before == 1 && diff->nr_after == 1)
		text_format(text,
			"One run on each side proves nothing: what is shown differs by a factor of "
			"%g or more, and may "
			"differ by chance.",
			options->factor);
	else
		text_format(text,
			"These are too few runs for a significance of %g, so nothing was tested: "
			"what is shown differs by a factor of %g or more, and may differ by "
			"chance.",
			options->significance, options->factor);
}

static void say_result(struct text *text, const struct ct_diff *diff)
{
	size_t count = nr_changed(diff);

	if (count)
		say_count(text, count, "difference", "differences");
	else
		text_add(text, "no difference");
	text_add(text, " among ");
	say_count(text, diff->results.count, "measure of a place", "measures of places");
}

/* ---------------------------------------------------------------- the table */

static void add_value(struct table *table, const struct ct_difference *difference, double value)
{
	if (isnan(value))
		render_table_end_cell(table);
	else if (diff_is_time(difference->measure))
		render_cell_duration(table, (int64_t)llround(value), true);
	else
		render_cell(table, "%.6g", value);
}

static void add_effect(struct table *table, const struct ct_difference *difference)
{
	double ratio = difference->after / difference->before;

	if (isfinite(ratio) && ratio > 0 && ratio < 2)
		render_cell(table, "%+.1f %%", (ratio - 1) * 100);
	else if (isfinite(ratio) && ratio > 0)
		render_cell(table, "%.3g x", ratio);
	else
		render_table_end_cell(table);
}

static void add_significance(struct table *table, const struct ct_difference *difference)
{
	if (isnan(difference->significance))
		render_table_end_cell(table);
	else
		render_cell(table, "%.2g", difference->significance);
}

/* Adds a place, with the name of the thing in front if it has one. */
static void add_place(struct table *table, const struct ct_difference *difference)
{
	struct text *text = &table->cells;
	size_t length;

	if (*difference->what) {
		length = text->length;
		say_name(text, difference->what);
		length = text->length - length;
		if (!strncmp(text_peek(text) + text->length - length, difference->place, length))
			text->length -= length;
		else
			text_add(text, *difference->place ? " at " : "");
	}
	text_add(text, difference->place);
	render_table_end_cell(table);
}

static void add_row(
	struct table *table, const struct ct_diff *diff, const struct ct_difference *difference)
{
	render_cell(table, "%s", ct_change_name(difference->change));
	render_cell(table, "%s", ct_measure_name(difference->measure));
	add_value(table, difference, difference->before);
	add_value(table, difference, difference->after);
	add_effect(table, difference);
	add_significance(table, difference);
	render_cell(table, "%" PRIu32 "/%" PRIu32, difference->nr_before, diff->nr_before);
	render_cell(table, "%" PRIu32 "/%" PRIu32, difference->nr_after, diff->nr_after);
	add_place(table, difference);
}

static void fill(struct table *table, const struct ct_diff *diff)
{
	size_t count = nr_changed(diff), i;

	render_table_init(table,
		"change|of|>before|>after|>effect|>significance|>runs before|>runs after|where");
	for (i = 0; i < count; i++)
		add_row(table, diff, &diff->results.at[i]);
}

void diff_write_text(
	struct text *text, const struct ct_diff *diff, const struct ct_diff_write_options *options)
{
	struct table table;

	text_add(text, "corotracer diff: ");
	say_sides(text, diff, options);
	text_add(text, "\n");
	say_method(text, diff);
	text_add(text, "\n\n");
	if (nr_changed(diff)) {
		fill(&table, diff);
		render_table_print(&table, text, "");
		render_table_fini(&table);
		text_add(text, "\n");
	}
	say_result(text, diff);
	text_add(text, "\n");
}

void diff_write_markdown(
	struct text *text, const struct ct_diff *diff, const struct ct_diff_write_options *options)
{
	struct text sides = {0};
	struct table table;

	say_sides(&sides, diff, options);
	text_add(text, "## corotracer diff\n\n");
	say_markdown(text, text_peek(&sides));
	text->is_broken |= sides.is_broken;
	text_fini(&sides);
	text_add(text, ": ");
	say_result(text, diff);
	text_add(text, ".\n");
	if (nr_changed(diff)) {
		text_add(text, "\n");
		fill(&table, diff);
		render_table_print_markdown(&table, text);
		render_table_fini(&table);
	}
	text_add(text, "\n");
	say_method(text, diff);
	text_add(text, "\n");
}

/* ---------------------------------------------------------------- JSON */

static void write_real(struct json *json, const char *key, double value)
{
	json_key(json, key);
	if (isnan(value))
		json_null(json);
	else
		json_real(json, value);
}

/* Times are whole nanoseconds, so that the times of a single run equal those in its report. */
static void write_value(struct json *json, double value, bool is_time)
{
	if (isfinite(value) && (is_time || value == rint(value))) {
		json_key_number(json, "value", (int64_t)llround(value));
	} else {
		write_real(json, "value", value);
	}
}

static void write_side(struct json *json, const char *key, uint32_t nr_runs, uint64_t line,
	uint64_t count, double value, bool is_time)
{
	json_key_open(json, key, '{');
	json_key_unsigned(json, "runs", nr_runs);
	json_key_unsigned(json, "line", line);
	json_key_unsigned(json, "count", count);
	write_value(json, value, is_time);
	json_close(json, '}');
}

static void write_difference(struct json *json, const struct ct_difference *difference)
{
	bool is_time = diff_is_time(difference->measure);

	json_open(json, '{');
	json_key_text(json, "change", ct_change_name(difference->change));
	json_key_text(json, "measure", ct_measure_name(difference->measure));
	json_key_text(json, "what", difference->what);
	json_key_text(json, "place", difference->place);
	json_key_text(json, "function", difference->function);
	json_key_text(json, "file", difference->file);
	write_side(json, "before", difference->nr_before, difference->line_before,
		difference->count_before, difference->before, is_time);
	write_side(json, "after", difference->nr_after, difference->line_after,
		difference->count_after, difference->after, is_time);
	write_real(json, "significance", difference->significance);
	json_close(json, '}');
}

/* Writes everything that was compared, including unchanged items, so that a program can decide what matters. */
void diff_write_json(
	struct text *text, const struct ct_diff *diff, const struct ct_diff_write_options *options)
{
	struct json json;
	size_t i;

	json_init(&json, text, true);
	json_open(&json, '{');
	json_key_text(&json, "before", options->before);
	json_key_text(&json, "after", options->after);
	json_key_unsigned(&json, "runs_before", diff->nr_before);
	json_key_unsigned(&json, "runs_after", diff->nr_after);
	json_key_text(&json, "statistic", statistics[diff->options.statistic]);
	json_key_bool(&json, "is_tested", diff->is_tested);
	write_real(&json, "significance", diff->options.significance);
	write_real(&json, "least", diff->options.least);
	write_real(&json, "factor", diff->options.factor);
	json_key_unsigned(&json, "changed", nr_changed(diff));
	json_key_open(&json, "differences", '[');
	for (i = 0; i < diff->results.count; i++)
		write_difference(&json, &diff->results.at[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	text_char(text, '\n');
}
