/* SPDX-License-Identifier: MIT */
/*
 * Chooses the format, and holds what all formats share.
 */
#include <stdio.h>
#include <string.h>

#include "metrics/sums.h"

const struct metrics_description metrics_descriptions[METRICS_NR_FAMILIES] = {
#define M(NAME, type, name, meaning) {METRICS_##type, name, meaning},
#include "corotracer/def/metric_families.def"
#undef M
};

static const struct metrics_form *const forms[CT_NR_METRICS_FORMATS] = {
	[CT_METRICS_OPENMETRICS] = &metrics_openmetrics,
	[CT_METRICS_TEXT] = &metrics_text,
	[CT_METRICS_PROTOBUF] = &metrics_protobuf,
};

bool metrics_exemplar_of(const struct metrics_delay *last, int64_t epoch_ns, char digits[24],
	struct metrics_exemplar *ret_exemplar)
{
	if (!last->coroutine)
		return false;
	snprintf(digits, 24, "%llu", (unsigned long long)last->coroutine);
	*ret_exemplar = (struct metrics_exemplar){
		.label = {"coroutine", digits},
		.value = (double)last->ns / 1e9,
		.at = epoch_ns ? ((double)epoch_ns + (double)last->at) / 1e9 : 0,
	};
	return true;
}

void metrics_begin(struct metrics_writer *writer, enum metrics_family family)
{
	writer->family = family;
	forms[writer->format]->begin(writer);
}

void metrics_sample(struct metrics_writer *writer, const struct metrics_label *labels,
	unsigned nr_labels, double value, const struct metrics_exemplar *exemplar)
{
	forms[writer->format]->sample(writer, labels, nr_labels, value, exemplar);
}

void metrics_histogram(
	struct metrics_writer *writer, const struct metrics_delays *delays, int64_t epoch_ns)
{
	forms[writer->format]->histogram(writer, delays, epoch_ns);
}

void metrics_end(struct metrics_writer *writer)
{
	forms[writer->format]->end(writer);
}

const char *metrics_type(enum ct_metrics_format format)
{
	return forms[format]->type;
}

/* The client's preferences are not weighed: Prometheus asks for the protobuf format if it stores native histograms. */
enum ct_metrics_format metrics_accepted(const char *accept)
{
	if (accept && strstr(accept, "io.prometheus.client.MetricFamily") &&
		strstr(accept, "encoding=delimited"))
		return CT_METRICS_PROTOBUF;
	return accept && strstr(accept, "application/openmetrics-text") ? CT_METRICS_OPENMETRICS
									: CT_METRICS_TEXT;
}
