/* SPDX-License-Identifier: MIT */
/*
 * The two text forms.
 * https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metrics/sums.h"

#define BOUND_BYTES 32u

static const char *const units[] = {"seconds", "bytes", "ratio"};

static bool is_open(const struct metrics_writer *writer)
{
	return writer->format == CT_METRICS_OPENMETRICS;
}

/* ---------------------------------------------------------------- words and numbers */

static void write_escaped(struct text *text, const char *value)
{
	char valid[2] = {0};
	struct text plain = {0};
	const char *at;

	text_plain(&plain, value);
	for (at = text_peek(&plain); *at; at++) {
		*valid = *at;
		text_add(text, *at == '\n'                 ? "\\n"
			       : *at == '"' || *at == '\\' ? (text_char(text, '\\'), valid)
							   : valid);
	}
	text->is_broken |= plain.is_broken;
	text_fini(&plain);
}

static void write_label(struct text *text, const struct metrics_label *label)
{
	text_format(text, "%s=\"", label->name);
	write_escaped(text, label->value);
	text_char(text, '"');
}

static void write_number(struct text *text, double value)
{
	if (value == floor(value) && fabs(value) < 1e15)
		text_format(text, "%.0f", value);
	else
		text_format(text, "%.12g", value);
}

static void write_exemplar(struct text *text, const struct metrics_exemplar *exemplar)
{
	text_add(text, " # {");
	write_label(text, &exemplar->label);
	text_add(text, "} ");
	write_number(text, exemplar->value);
	if (exemplar->at > 0)
		text_format(text, " %.3f", exemplar->at);
}

/* ---------------------------------------------------------------- families */

static const char *type_of(const struct metrics_writer *writer)
{
	switch (metrics_descriptions[writer->family].kind) {
	case METRICS_COUNTER:
		return "counter";
	case METRICS_HISTOGRAM:
		return "histogram";
	case METRICS_INFO:
		return is_open(writer) ? "info" : "gauge";
	default:
		return "gauge";
	}
}

/* The suffix of a sample's name; in the older format the family's name has it, too. */
static const char *suffix_of(const struct metrics_writer *writer)
{
	switch (metrics_descriptions[writer->family].kind) {
	case METRICS_COUNTER:
		return "_total";
	case METRICS_INFO:
		return "_info";
	default:
		return "";
	}
}

static const char *unit_of(const char *name)
{
	size_t length = strlen(name), i, unit;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		unit = strlen(units[i]);
		if (length > unit && name[length - unit - 1] == '_' &&
			strcmp(name + length - unit, units[i]) == 0)
			return units[i];
	}
	return NULL;
}

static void begin(struct metrics_writer *writer)
{
	const char *name = metrics_descriptions[writer->family].name, *suffix,
		   *unit = unit_of(name);

	suffix = is_open(writer) ? "" : suffix_of(writer);
	text_format(writer->text, "# TYPE %s%s %s\n", name, suffix, type_of(writer));
	if (is_open(writer) && unit)
		text_format(writer->text, "# UNIT %s %s\n", name, unit);
	text_format(writer->text, "# HELP %s%s ", name, suffix);
	write_escaped(writer->text, metrics_descriptions[writer->family].meaning);
	text_char(writer->text, '\n');
}

static void begin_sample(struct metrics_writer *writer, const char *suffix,
	const struct metrics_label *labels, unsigned nr_labels)
{
	unsigned i;

	text_format(writer->text, "%s%s", metrics_descriptions[writer->family].name, suffix);
	for (i = 0; i < nr_labels; i++) {
		text_char(writer->text, i ? ',' : '{');
		write_label(writer->text, &labels[i]);
	}
	text_add(writer->text, nr_labels ? "} " : " ");
}

static void write_sample(struct metrics_writer *writer, const struct metrics_label *labels,
	unsigned nr_labels, double value, const struct metrics_exemplar *exemplar)
{
	begin_sample(writer, suffix_of(writer), labels, nr_labels);
	write_number(writer->text, value);
	if (exemplar && is_open(writer))
		write_exemplar(writer->text, exemplar);
	text_char(writer->text, '\n');
}

/* A single spelling for each number: in OpenMetrics all have a decimal point. */
static void say_bound(const struct metrics_writer *writer, double bound, char said[BOUND_BYTES])
{
	bool is_whole = bound == floor(bound);

	snprintf(said, BOUND_BYTES, is_whole && is_open(writer) ? "%.1f" : "%g", bound);
}

static void write_bucket(struct metrics_writer *writer, const char *bound, uint64_t count,
	const struct metrics_delay *last, int64_t epoch_ns)
{
	const struct metrics_label label = {"le", bound};
	struct metrics_exemplar exemplar;
	char digits[24];

	begin_sample(writer, "_bucket", &label, 1);
	write_number(writer->text, (double)count);
	if (is_open(writer) && metrics_exemplar_of(last, epoch_ns, digits, &exemplar))
		write_exemplar(writer->text, &exemplar);
	text_char(writer->text, '\n');
}

static void write_histogram(
	struct metrics_writer *writer, const struct metrics_delays *delays, int64_t epoch_ns)
{
	uint64_t count = 0;
	char bound[BOUND_BYTES];
	unsigned i;

	for (i = 0; i <= METRICS_BOUNDS; i++) {
		count += delays->counts[i];
		if (i < METRICS_BOUNDS)
			say_bound(writer, (double)metrics_bounds_ns[i] / 1e9, bound);
		write_bucket(writer, i < METRICS_BOUNDS ? bound : "+Inf", count, &delays->last[i],
			epoch_ns);
	}
	begin_sample(writer, "_count", NULL, 0);
	text_format(writer->text, "%llu\n", (unsigned long long)delays->count);
	begin_sample(writer, "_sum", NULL, 0);
	write_number(writer->text, (double)delays->sum_ns / 1e9);
	text_char(writer->text, '\n');
}

static void end(struct metrics_writer *writer)
{
	if (is_open(writer))
		text_add(writer->text, "# EOF\n");
}

const struct metrics_form metrics_openmetrics = {
	.type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	.begin = begin,
	.sample = write_sample,
	.histogram = write_histogram,
	.end = end,
};

const struct metrics_form metrics_text = {
	.type = "text/plain; version=0.0.4; charset=utf-8",
	.begin = begin,
	.sample = write_sample,
	.histogram = write_histogram,
	.end = end,
};
