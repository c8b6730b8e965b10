/* SPDX-License-Identifier: MIT */
/* The state of the filter, shared by its files. */
#ifndef STAGES_FILTER_PARTS_H
#define STAGES_FILTER_PARTS_H

#include "stream/directory.h"
#include "stages/filter.h"
#include "base/map.h"
#include "snapshot/snapshot.h"
#include "base/vec.h"

/* What becomes of a record. */
enum fate {
	FATE_KEEP = 0,
	FATE_PAUSED = CTP_LOSS_PAUSED,
	FATE_CATEGORY = CTP_LOSS_CATEGORY,
	FATE_SAMPLE = CTP_LOSS_SAMPLE,
	FATE_LEFT_OUT = CTP_LOSS_LEFT_OUT,
	FATE_QUIET, /* event of a category on which no finding rests: only reported as being off */
	NR_FATES,
};

/* The kinds of patterns that a site matches. */
enum site_match {
	SITE_IS_PLACE = 1,
	SITE_IS_NAME = 2,
	SITE_IS_TASK = 4,
};

/* Why a coroutine is left out. */
enum leaving {
	LEAVING_NOT = 0,
	LEAVING_ALONE,     /* the coroutine alone */
	LEAVING_WITH_TASK, /* the coroutine, and the coroutines that it creates */
	LEAVING_SAMPLED,   /* only because the sample leaves it out */
};

struct filter_stream {
	uint32_t thread;
	uint32_t origin;  /* in the snapshot; 0: not asked for */
	uint64_t running; /* the coroutine that runs on its thread, as far as recorded; 0: none */
	enum fate last;   /* of its last record that is not a detail: a detail shares it */
	uint64_t gap_count;
	uint64_t gap_first; /* raw time of the first record that the closed window left out */
};

struct filter_segment {
	struct map coros;   /* maps an id to an enum leaving */
	struct map frames;  /* addresses of frames of coroutines that are left out */
	struct map tasks;   /* ids of tasks that are left out */
	VEC(uint8_t) sites; /* enum site_match */
};

struct filter_process {
	bool is_live;
	uint64_t nr_left_out[NR_FATES]; /* since the last report */
};

/* A site that may have to be matched with other patterns later. */
struct filter_site {
	uint32_t segment;
	uint32_t id;
	char *texts[3]; /* function, file, name; NULL: none */
	uint32_t line;
};

#define FILTER_SITES_KEPT (1u << 16)

struct patterns {
	char **at; /* NULL-terminated; NULL: none */
};

/* Most coroutines, frames and tasks remembered as left out, for each segment: a program can state any number. */
#define FILTER_KNOWN (1u << 24)

struct filter {
	struct ct_sink sink;
	struct ct_sink *inner; /* NULL: the recording is complete */
	struct directory directory;
	uint32_t categories_off;
	uint32_t sample;
	/* of newly created coroutines one in this many is kept; 0, 1: all */
	uint32_t sample_of_new;
	size_t max_known; /* FILTER_KNOWN */
	struct patterns sites;
	struct patterns names;
	struct patterns tasks;
	bool has_coros; /* some coroutines may be unwanted */
	bool is_open;
	bool has_begun;            /* read by other threads: filter_has_begun */
	bool was_told;             /* the wishes were reported */
	struct snapshot *snapshot; /* exists until the window opens for the first time */
	VEC(struct filter_stream) streams;
	VEC(struct filter_segment) segments;
	VEC(struct filter_process) processes;
	VEC(struct filter_site) known_sites;
	bool is_stopped; /* stopped by an order: gaps are reported while they go on */
	/* categories were changed during the run: their loss is reported for the whole time */
	bool was_changed;
	VEC(struct ctp_record) kept; /* the kept records of one batch */
	uint64_t nr_left_out;
	uint64_t nr_quiet; /* of nr_left_out: not reported */
	/* reported without an event, because some may not have been written */
	uint64_t nr_noted;
	uint64_t nr_added;      /* marks and carried records */
	uint64_t nr_before;     /* part of nr_left_out: events before the window first opened */
	uint64_t told_ns;       /* time up to which losses were reported */
	enum ct_status outcome; /* status of the inner sink's end, if that came early */
	struct ct_error outcome_text;
};

/* ---------------------------------------------------------------- filter_match.c */

/* filter_patterns_copy: copies patterns. Returns false if out of memory. */
bool filter_patterns_copy(struct patterns *to, const char *const *from);
void filter_patterns_fini(struct patterns *patterns);

/* filter_match_site: notes which patterns a site matches. Returns false if out of memory. */
bool filter_match_site(struct filter *filter, const struct ct_define_site *site);

/* ---------------------------------------------------------------- filter_judge.c */

/*
 * filter_judge: decides what becomes of the record, which may be changed, and before which a mark may be put into
 * filter->kept. Returns false if out of memory.
 */
bool filter_judge(struct filter *filter, struct filter_stream *stream,
	struct filter_segment *segment, struct ctp_record *record, enum fate *ret_fate);

/* ---------------------------------------------------------------- filter.c */

/* filter_open_window: opens the window: from here on records are kept. */
enum ct_status filter_open_window(struct filter *filter, struct ct_error *reterr);

/* filter_tell_losses: reports what was left out since the last report. */
enum ct_status filter_tell_losses(
	struct filter *filter, uint64_t until_ns, struct ct_error *reterr);

/* filter_note: puts a note into the trace. */
enum ct_status filter_note(
	struct filter *filter, const char *text, uint64_t count, struct ct_error *reterr);

/* filter_note_categories: counts one event for each category of evidence that is off, in each live process. */
void filter_note_categories(struct filter *filter);

/* ---------------------------------------------------------------- filter_change.c */

/*
 * filter_tell_options: puts a note that says what is left out, and since `when`; "": from the beginning, and only if
 * anything is left out.
 */
enum ct_status filter_tell_options(
	struct filter *filter, const char *when, struct ct_error *reterr);

/* filter_keep_site: remembers a site, if there is room. Returns false if out of memory. */
bool filter_keep_site(struct filter *filter, const struct ct_define_site *site);
void filter_forget_sites(struct filter *filter);

#endif
