/* SPDX-License-Identifier: MIT */
/*
 * Sums of what judgements say, from which the families are told. Private to src/metrics.
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

/* ---------------------------------------------------------------- sums.c: what is added up */

/* The upper bounds of the histogram's buckets: 1, 2.5, 5 and 10 us, up to 10 s; one bucket more has the rest. */
#define METRICS_BOUNDS 22u
extern const int64_t metrics_bounds_ns[METRICS_BOUNDS];

/*
 * The buckets of a native histogram: eight in each power of two of seconds (schema 3). Bucket `i` has what is at most
 * 2^((i - METRICS_NATIVE_ONE) / 8) seconds: 64-bit nanoseconds have room.
 */
#define METRICS_SCHEMA 3
#define METRICS_NATIVE_ONE 240
#define METRICS_NATIVE 512u

/* One of those that fell into a bucket: the last one. */
struct metrics_delay {
	uint64_t coroutine; /* 0: none */
	int64_t ns;
	ct_time at;
};

struct metrics_delays {
	uint64_t counts[METRICS_BOUNDS + 1];
	struct metrics_delay last[METRICS_BOUNDS + 1];
	uint64_t native[METRICS_NATIVE];
	uint64_t nr_zero; /* that took no time: in no bucket of `native` */
	uint64_t count;
	uint64_t sum_ns;
};

#define METRICS_ADDRESS_BYTES 100u

/* Findings of one rule and grade. */
struct metrics_found {
	uint64_t count;
	char address[METRICS_ADDRESS_BYTES]; /* of the last one; "": none, or it is longer */
	ct_time at;
};

#define METRICS_FOUND_MAX 4096u /* findings that are told from new ones */

struct metrics {
	pthread_mutex_t lock;
	uint64_t generation; /* that was added up last */
	ct_time until;       /* delays up to here are in `delays`; CT_NO_TIME: none are */
	uint64_t unjudged_ns;
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t nr_left_out;
	struct metrics_delays delays;
	struct metrics_found found[CT_NR_RULES][CT_GRADE_PROVEN + 1];
	uint64_t known[METRICS_FOUND_MAX]; /* hashes of addresses, with rule and grade */
	uint32_t nr_known;
};

/* metrics_add_up: a judgement that is newer. */
enum ct_status metrics_add_up(
	struct metrics *metrics, const struct metrics_given *given, struct ct_error *reterr);

/* ---------------------------------------------------------------- form.c: how it is written */

struct metrics_label {
	const char *name;
	const char *value;
};

#define METRICS_LABELS_MAX 3u

struct metrics_exemplar {
	struct metrics_label label;
	double value;
	double at; /* seconds since 1970; 0: not known */
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
	enum metrics_family family; /* that is being written */
	struct text message;        /* of a form of messages: the family so far */
	bool has_samples;           /* likewise: it has some */
};

/* A form's own way to do what the functions below do. */
struct metrics_form {
	const char *type; /* as HTTP names it */
	void (*begin)(struct metrics_writer *writer);
	void (*sample)(struct metrics_writer *writer, const struct metrics_label *labels,
		unsigned nr_labels, double value, const struct metrics_exemplar *exemplar);
	void (*histogram)(struct metrics_writer *writer, const struct metrics_delays *delays,
		int64_t epoch_ns);
	void (*end)(struct metrics_writer *writer);
};

/* text_forms.c, protobuf.c */
extern const struct metrics_form metrics_openmetrics, metrics_text, metrics_protobuf;

/* metrics_exemplar_of: of a bucket; `digits` has room for its label. False: it has none. */
bool metrics_exemplar_of(const struct metrics_delay *last, int64_t epoch_ns, char digits[24],
	struct metrics_exemplar *ret_exemplar);

/* metrics_begin: a family; its samples follow. */
void metrics_begin(struct metrics_writer *writer, enum metrics_family family);

/* metrics_sample: one, with its labels and, of a counter, an exemplar or NULL. */
void metrics_sample(struct metrics_writer *writer, const struct metrics_label *labels,
	unsigned nr_labels, double value, const struct metrics_exemplar *exemplar);

/* metrics_histogram: the family's only one. `epoch_ns`: since 1970, of time 0; 0: not known. */
void metrics_histogram(
	struct metrics_writer *writer, const struct metrics_delays *delays, int64_t epoch_ns);

/* metrics_end: behind the last family. */
void metrics_end(struct metrics_writer *writer);

/* ---------------------------------------------------------------- families.c */

/* metrics_tell: all families. */
void metrics_tell(const struct metrics *metrics, const struct metrics_given *given,
	struct metrics_writer *writer);

#endif
