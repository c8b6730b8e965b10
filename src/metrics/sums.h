/* SPDX-License-Identifier: MIT */
/*
 * Sums over judgements, from which the metric families are made. Private to src/metrics.
 */
#ifndef METRICS_SUMS_H
#define METRICS_SUMS_H

#include <pthread.h>

#include "metrics/metrics.h"

enum metrics_kind {
	METRICS_GAUGE,
	METRICS_COUNTER,
	METRICS_HISTOGRAM,
	METRICS_INFO,
};

enum metrics_family {
#define M(NAME, type, name, meaning) METRICS_FAMILY_##NAME,
#include "corotracer/def/metric_families.def"
#undef M
	METRICS_NR_FAMILIES,
};

/* ---------------------------------------------------------------- sums.c: the sums */

/*
 * The upper bounds of the histogram's buckets: 1, 2.5, 5 and 10 us, and so on up to 10 s; one further bucket has the
 * rest.
 */
#define METRICS_BOUNDS 22u
extern const int64_t metrics_bounds_ns[METRICS_BOUNDS];

/*
 * The buckets of a native histogram: eight in each power of two of seconds (schema 3). Bucket `i` holds values up to
 * 2^((i - METRICS_NATIVE_ONE) / 8) seconds; there are enough buckets for 64-bit nanoseconds.
 */
#define METRICS_SCHEMA 3
#define METRICS_NATIVE_ONE 240
#define METRICS_NATIVE 512u

/* The last delay that fell into a bucket. */
struct metrics_delay {
	uint64_t coroutine; /* 0: none */
	int64_t ns;
	ct_time at;
};

struct metrics_delays {
	uint64_t counts[METRICS_BOUNDS + 1];
	struct metrics_delay last[METRICS_BOUNDS + 1];
	uint64_t native[METRICS_NATIVE];
	uint64_t nr_zero; /* delays of length 0, which are in no bucket of `native` */
	uint64_t count;
	uint64_t sum_ns;
};

#define METRICS_ADDRESS_BYTES 100u

/* Findings of one rule and grade. */
struct metrics_found {
	uint64_t count;
	/* of the last one; "": there is none, or its address is longer */
	char address[METRICS_ADDRESS_BYTES];
	ct_time at;
};

#define METRICS_FOUND_MAX 4096u /* findings that can be recognised as known */

struct metrics {
	pthread_mutex_t lock;
	uint64_t generation; /* of the judgement that was added last */
	ct_time until;       /* delays up to this time are in `delays`; CT_NO_TIME: none are */
	uint64_t unjudged_ns;
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t nr_left_out;
	struct metrics_delays delays;
	struct metrics_found found[CT_NR_RULES][CT_GRADE_PROVEN + 1];
	uint64_t known[METRICS_FOUND_MAX]; /* hashes of addresses, with rule and grade */
	uint32_t nr_known;
};

/* metrics_add_up: adds a newer judgement to the sums. */
enum ct_status metrics_add_up(
	struct metrics *metrics, const struct metrics_given *given, struct ct_error *reterr);

/* ---------------------------------------------------------------- form.c: the formats */

struct metrics_label {
	const char *name;
	const char *value;
};

struct metrics_exemplar {
	struct metrics_label label;
	double value;
	double at; /* seconds since 1970; 0: unknown */
};

struct metrics_description {
	enum metrics_kind kind;
	const char *name;
	const char *meaning;
};

extern const struct metrics_description metrics_descriptions[METRICS_NR_FAMILIES];

struct metrics_writer {
	struct text *text;
	enum ct_metrics_format format;
	enum metrics_family family; /* the family that is being written */
	struct text message;        /* protobuf format: the family so far */
	bool has_samples;           /* protobuf format: the family has samples */
};

/* The functions of a format, for the functions below. */
struct metrics_form {
	const char *type; /* the media type, for HTTP */
	void (*begin)(struct metrics_writer *writer);
	void (*sample)(struct metrics_writer *writer, const struct metrics_label *labels,
		unsigned nr_labels, double value, const struct metrics_exemplar *exemplar);
	void (*histogram)(struct metrics_writer *writer, const struct metrics_delays *delays,
		int64_t epoch_ns);
	void (*end)(struct metrics_writer *writer);
};

/* Defined in text_forms.c and protobuf.c. */
extern const struct metrics_form metrics_openmetrics, metrics_text, metrics_protobuf;

/* metrics_exemplar_of: the exemplar of a bucket; `digits` is the buffer for its label. False: the bucket has none. */
bool metrics_exemplar_of(const struct metrics_delay *last, int64_t epoch_ns, char digits[24],
	struct metrics_exemplar *ret_exemplar);

/* metrics_begin: begins a family; its samples follow. */
void metrics_begin(struct metrics_writer *writer, enum metrics_family family);

/* metrics_sample: writes one sample with its labels; a sample of a counter may have an exemplar (else NULL). */
void metrics_sample(struct metrics_writer *writer, const struct metrics_label *labels,
	unsigned nr_labels, double value, const struct metrics_exemplar *exemplar);

/*
 * metrics_histogram: writes the only sample of a histogram family. `epoch_ns`: real time of the trace's time 0, since
 * 1970; 0: unknown.
 */
void metrics_histogram(
	struct metrics_writer *writer, const struct metrics_delays *delays, int64_t epoch_ns);

/* metrics_end: must be called after the last family. */
void metrics_end(struct metrics_writer *writer);

#endif
