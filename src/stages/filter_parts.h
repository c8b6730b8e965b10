/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the filter.
 */
#ifndef STAGES_FILTER_PARTS_H
#define STAGES_FILTER_PARTS_H

#include "stream/directory.h"
#include "stages/filter.h"
#include "base/map.h"
#include "snapshot/snapshot.h"
#include "base/vec.h"

/* The fate of a record. */
enum fate {
	FATE_KEEP = 0,
	FATE_PAUSED = CTP_LOSS_PAUSED,
	FATE_CATEGORY = CTP_LOSS_CATEGORY,
	FATE_SAMPLE = CTP_LOSS_SAMPLE,
	FATE_LEFT_OUT = CTP_LOSS_LEFT_OUT,
	FATE_QUIET, /* of a category on which no finding rests: that it is off says all */
	NR_FATES,
};

/* The patterns that a site matches. */
enum site_match {
	SITE_IS_PLACE = 1,
	SITE_IS_NAME = 2,
	SITE_IS_TASK = 4,
};

/* Why a coroutine is left out. */
enum leaving {
	LEAVING_NOT = 0,
	LEAVING_ALONE,     /* itself */
	LEAVING_WITH_TASK, /* and those that it creates */
	LEAVING_SAMPLED,   /* for no other reason than that it is too many */
};

struct filter_stream {
	uint32_t thread;
	uint32_t origin;  /* in the snapshot; 0: not asked for */
	uint64_t running; /* the coroutine that runs on its thread, as far as is told; 0: none */
	enum fate last;   /* of its last record that is no detail: a detail shares it */
	uint64_t gap_count;
	uint64_t gap_first; /* raw time of the first record that the closed window left out */
};

struct filter_segment {
	struct map coros;   /* id -> enum leaving */
	struct map frames;  /* addresses of frames of coroutines that are left out */
	struct map tasks;   /* ids of tasks that are left out */
	VEC(uint8_t) sites; /* enum site_match */
};

struct filter_process {
	bool is_live;
	uint64_t nr_left_out[NR_FATES]; /* since it was last told */
};

/* What may have to be compared with other patterns later. */
struct filter_site {
	uint32_t segment;
	uint32_t id;
	char *texts[3]; /* function, file, name; NULL: it has none */
	uint32_t line;
};

#define FILTER_SITES_KEPT (1u << 16)

struct patterns {
	char **at; /* NULL-terminated; NULL: none */
};

/* So many coroutines, frames and tasks are remembered as left out, of each segment: a program can claim any number. */
#define FILTER_KNOWN (1u << 24)

struct filter {
	struct ct_sink sink;
	struct ct_sink *inner; /* NULL: it is complete */
	struct directory directory;
	uint32_t categories_off;
	uint32_t sample;
	uint32_t sample_of_new; /* of coroutines that are created, one in so many; 0, 1: all */
	size_t max_known;       /* FILTER_KNOWN */
	struct patterns sites;
	struct patterns names;
	struct patterns tasks;
	bool has_coros; /* some coroutines may not be wanted */
	bool is_open;
	bool has_begun;            /* other threads read it: filter_has_begun */
	bool was_told;             /* what was asked for */
	struct snapshot *snapshot; /* while the window has never been open */
	VEC(struct filter_stream) streams;
	VEC(struct filter_segment) segments;
	VEC(struct filter_process) processes;
	VEC(struct filter_site) known_sites;
	bool is_stopped;  /* from outside: gaps are told as they go on */
	bool was_changed; /* categories, while it ran: their loss is told for all of the time */
	VEC(struct ctp_record) kept; /* of one batch */
	uint64_t nr_left_out;
	uint64_t nr_quiet;      /* of those: of which nothing is told */
	uint64_t nr_noted;      /* told without an event, since some may not have been written */
	uint64_t nr_added;      /* marks and carried records */
	uint64_t nr_before;     /* of those left out: before the window was first open */
	uint64_t told_ns;       /* until when losses were told */
	enum ct_status outcome; /* of the inner sink's end, where it came early */
	struct ct_error outcome_text;
};

/* ---------------------------------------------------------------- filter_match.c */

/* filter_patterns_copy: false: out of memory. */
bool filter_patterns_copy(struct patterns *to, const char *const *from);
void filter_patterns_fini(struct patterns *patterns);

/* filter_match_site: notes which patterns a site matches. False: out of memory. */
bool filter_match_site(struct filter *filter, const struct ct_define_site *site);

/* ---------------------------------------------------------------- filter_judge.c */

/*
 * judge: what becomes of the record, which may be changed, and before which a mark may be put into
 * filter->kept. False: out of memory.
 */
bool filter_judge(struct filter *filter, struct filter_stream *stream,
	struct filter_segment *segment, struct ctp_record *record, enum fate *ret_fate);

/* ---------------------------------------------------------------- filter.c */

/* filter_open_window: from here on records are kept. */
enum ct_status filter_open_window(struct filter *filter, struct ct_error *reterr);

/* filter_tell_losses: what was left out since they were last told. */
enum ct_status filter_tell_losses(
	struct filter *filter, uint64_t until_ns, struct ct_error *reterr);

/* filter_note: a note into the trace. */
enum ct_status filter_note(
	struct filter *filter, const char *text, uint64_t count, struct ct_error *reterr);

/* filter_note_categories: counts one event for each category of evidence that is off, in each live process. */
void filter_note_categories(struct filter *filter);

/* ---------------------------------------------------------------- filter_change.c */

/* filter_tell_options: a note of what is left out, asked for `when`; "": from the beginning, and if it is anything. */
enum ct_status filter_tell_options(
	struct filter *filter, const char *when, struct ct_error *reterr);

/* filter_keep_site: remembers a site, as long as there is room. False: out of memory. */
bool filter_keep_site(struct filter *filter, const struct ct_define_site *site);
void filter_forget_sites(struct filter *filter);

#endif
