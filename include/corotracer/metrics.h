/* SPDX-License-Identifier: MIT */
/*
 * Metrics of a trace, in forms that Prometheus and similar programs read (def/metric_families.def). A part of ct.h. The
 * metrics of a recording that goes on are at /metrics of serve.h.
 */
#ifndef COROTRACER_METRICS_H
#define COROTRACER_METRICS_H

#include <stddef.h>

#include "corotracer/error.h"
#include "corotracer/thresholds.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

enum ct_metrics_format {
	CT_METRICS_OPENMETRICS = 0, /* OpenMetrics 1.0: with exemplars */
	CT_METRICS_TEXT,            /* Prometheus' text format 0.0.4 */
	/* io.prometheus.client.MetricFamily, each after its length: with native histograms */
	CT_METRICS_PROTOBUF,
	CT_NR_METRICS_FORMATS,
};

struct ct_metrics_options {
	size_t size;
	enum ct_metrics_format format;
	const struct ct_thresholds *thresholds; /* for the findings; NULL: all defaults */
};

struct ct_trace;

/*
 * ct_metrics_write: reads the whole trace, and writes its metrics to a file, whole or not at all; "-" is standard
 * output. CT_ERR_USAGE: there is no such format.
 */
enum ct_status ct_metrics_write(struct ct_trace *trace, const struct ct_metrics_options *options,
	const char *path, struct ct_error *reterr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
