/* SPDX-License-Identifier: MIT */
/*
 * The protobuf format, the only one with native histograms.
 * https://github.com/prometheus/client_model/blob/master/io/prometheus/client/metrics.proto
 */
#include <math.h>
#include <string.h>

#include "base/protobuf.h"
#include "metrics/sums.h"

/* Numbers of fields. */
enum {
	FAMILY_NAME = 1,
	FAMILY_HELP = 2,
	FAMILY_TYPE = 3,
	FAMILY_METRIC = 4,
	METRIC_LABEL = 1,
	METRIC_GAUGE = 2,
	METRIC_COUNTER = 3,
	METRIC_HISTOGRAM = 7,
	LABEL_NAME = 1,
	LABEL_VALUE = 2,
	GAUGE_VALUE = 1,
	COUNTER_VALUE = 1,
	COUNTER_EXEMPLAR = 2,
	EXEMPLAR_LABEL = 1,
	EXEMPLAR_VALUE = 2,
	EXEMPLAR_TIMESTAMP = 3,
	TIMESTAMP_SECONDS = 1,
	TIMESTAMP_NANOS = 2,
	HISTOGRAM_SAMPLE_COUNT = 1,
	HISTOGRAM_SAMPLE_SUM = 2,
	HISTOGRAM_BUCKET = 3,
	HISTOGRAM_SCHEMA = 5,
	HISTOGRAM_ZERO_THRESHOLD = 6,
	HISTOGRAM_ZERO_COUNT = 7,
	HISTOGRAM_POSITIVE_SPAN = 12,
	HISTOGRAM_POSITIVE_DELTA = 13,
	BUCKET_CUMULATIVE_COUNT = 1,
	BUCKET_UPPER_BOUND = 2,
	BUCKET_EXEMPLAR = 3,
	SPAN_OFFSET = 1,
	SPAN_LENGTH = 2,
};

/* Values of FAMILY_TYPE. */
enum {
	TYPE_COUNTER = 0,
	TYPE_GAUGE = 1,
	TYPE_HISTOGRAM = 4,
};

static void write_double(struct text *text, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	protobuf_fixed(text, field, bits);
}

static uint64_t zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static void write_label(struct text *text, unsigned field, const struct metrics_label *label)
{
	struct text part = {0};

	protobuf_text(&part, LABEL_NAME, label->name);
	protobuf_text(&part, LABEL_VALUE, label->value);
	protobuf_part(text, field, &part);
	text_fini(&part);
}

static void write_exemplar(
	struct text *text, unsigned field, const struct metrics_exemplar *exemplar)
{
	struct text part = {0}, stamp = {0};

	write_label(&part, EXEMPLAR_LABEL, &exemplar->label);
	write_double(&part, EXEMPLAR_VALUE, exemplar->value);
	if (exemplar->at > 0) {
		protobuf_number(&stamp, TIMESTAMP_SECONDS, (uint64_t)exemplar->at);
		protobuf_number(&stamp, TIMESTAMP_NANOS,
			(uint64_t)((exemplar->at - floor(exemplar->at)) * 1e9));
		protobuf_part(&part, EXEMPLAR_TIMESTAMP, &stamp);
	}
	protobuf_part(text, field, &part);
	text_fini(&part);
	text_fini(&stamp);
}

/* ---------------------------------------------------------------- families */

static void finish_family(struct metrics_writer *writer)
{
	if (writer->has_samples) {
		protobuf_varint(writer->text, writer->message.length);
		text_append(writer->text, text_peek(&writer->message), writer->message.length);
	}
	writer->has_samples = false;
	text_clear(&writer->message);
}

static void begin(struct metrics_writer *writer)
{
	const struct metrics_description *family = &metrics_descriptions[writer->family];
	struct text name = {0};

	finish_family(writer);
	text_format(&name, "%s%s", family->name,
		family->kind == METRICS_COUNTER ? "_total"
		: family->kind == METRICS_INFO  ? "_info"
						: "");
	protobuf_text(&writer->message, FAMILY_NAME, text_peek(&name));
	protobuf_text(&writer->message, FAMILY_HELP, family->meaning);
	protobuf_number(&writer->message, FAMILY_TYPE,
		family->kind == METRICS_COUNTER     ? TYPE_COUNTER
		: family->kind == METRICS_HISTOGRAM ? TYPE_HISTOGRAM
						    : TYPE_GAUGE);
	text_fini(&name);
}

static void add_metric(struct metrics_writer *writer, struct text *metric)
{
	protobuf_part(&writer->message, FAMILY_METRIC, metric);
	writer->has_samples = true;
}

static void write_sample(struct metrics_writer *writer, const struct metrics_label *labels,
	unsigned nr_labels, double value, const struct metrics_exemplar *exemplar)
{
	bool is_counter = metrics_descriptions[writer->family].kind == METRICS_COUNTER;
	struct text metric = {0}, part = {0};
	unsigned i;

	for (i = 0; i < nr_labels; i++)
		write_label(&metric, METRIC_LABEL, &labels[i]);
	write_double(&part, is_counter ? COUNTER_VALUE : GAUGE_VALUE, value);
	if (is_counter && exemplar)
		write_exemplar(&part, COUNTER_EXEMPLAR, exemplar);
	protobuf_part(&metric, is_counter ? METRIC_COUNTER : METRIC_GAUGE, &part);
	add_metric(writer, &metric);
	text_fini(&metric);
	text_fini(&part);
}

/* ---------------------------------------------------------------- the histogram */

static void write_buckets(
	struct text *histogram, const struct metrics_delays *delays, int64_t epoch_ns)
{
	struct metrics_exemplar exemplar;
	struct text bucket = {0};
	uint64_t count = 0;
	char digits[24];
	unsigned i;

	for (i = 0; i <= METRICS_BOUNDS; i++) {
		count += delays->counts[i];
		protobuf_number(&bucket, BUCKET_CUMULATIVE_COUNT, count);
		write_double(&bucket, BUCKET_UPPER_BOUND,
			i < METRICS_BOUNDS ? (double)metrics_bounds_ns[i] / 1e9 : INFINITY);
		if (metrics_exemplar_of(&delays->last[i], epoch_ns, digits, &exemplar))
			write_exemplar(&bucket, BUCKET_EXEMPLAR, &exemplar);
		protobuf_part(histogram, HISTOGRAM_BUCKET, &bucket);
	}
	text_fini(&bucket);
}

/* A span is a sequence of buckets that are not empty; its offset counts from the end of the previous span. */
static void write_spans(struct text *histogram, const struct metrics_delays *delays)
{
	struct text span = {0};
	int end = METRICS_NATIVE_ONE;
	unsigned i, from;

	for (i = 0; i < METRICS_NATIVE; i++) {
		if (!delays->native[i])
			continue;
		for (from = i; i < METRICS_NATIVE && delays->native[i]; i++)
			;
		protobuf_number(&span, SPAN_OFFSET, zigzag((int64_t)from - end));
		protobuf_number(&span, SPAN_LENGTH, i - from);
		protobuf_part(histogram, HISTOGRAM_POSITIVE_SPAN, &span);
		end = (int)i;
	}
	text_fini(&span);
}

/* Each count is written as the difference from the previous one. */
static void write_deltas(struct text *histogram, const struct metrics_delays *delays)
{
	struct text deltas = {0};
	uint64_t before = 0;
	unsigned i;

	for (i = 0; i < METRICS_NATIVE; i++) {
		if (!delays->native[i])
			continue;
		protobuf_varint(&deltas, zigzag((int64_t)(delays->native[i] - before)));
		before = delays->native[i];
	}
	protobuf_part(histogram, HISTOGRAM_POSITIVE_DELTA, &deltas);
	text_fini(&deltas);
}

static void write_histogram(
	struct metrics_writer *writer, const struct metrics_delays *delays, int64_t epoch_ns)
{
	struct text metric = {0}, histogram = {0};

	protobuf_number(&histogram, HISTOGRAM_SAMPLE_COUNT, delays->count);
	write_double(&histogram, HISTOGRAM_SAMPLE_SUM, (double)delays->sum_ns / 1e9);
	write_buckets(&histogram, delays, epoch_ns);
	protobuf_number(&histogram, HISTOGRAM_SCHEMA, zigzag(METRICS_SCHEMA));
	write_double(&histogram, HISTOGRAM_ZERO_THRESHOLD, 1e-10);
	protobuf_number_always(&histogram, HISTOGRAM_ZERO_COUNT, delays->nr_zero);
	write_spans(&histogram, delays);
	write_deltas(&histogram, delays);
	protobuf_part(&metric, METRIC_HISTOGRAM, &histogram);
	add_metric(writer, &metric);
	text_fini(&metric);
	text_fini(&histogram);
}

static void end(struct metrics_writer *writer)
{
	finish_family(writer);
	text_fini(&writer->message);
}

const struct metrics_form metrics_protobuf = {
	.type = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
		"encoding=delimited",
	.begin = begin,
	.sample = write_sample,
	.histogram = write_histogram,
	.end = end,
};
