/* SPDX-License-Identifier: MIT */
/*
 * The words of the text form: the names of the lists in def/, and the fields of each kind of line. The reader and the
 * printer use the same lists, so they cannot disagree.
 */
#ifndef TEXTRACE_NAMES_H
#define TEXTRACE_NAMES_H

#include "corotracer/event.h"

enum textrace_list {
	TEXTRACE_KINDS,
	TEXTRACE_RESOURCES,
	TEXTRACE_OUTCOMES,
	TEXTRACE_POINTS,
	TEXTRACE_LIVES,
	TEXTRACE_MARKS,
	TEXTRACE_LOSSES,
	TEXTRACE_CALLS,
	TEXTRACE_DETAILS,
	TEXTRACE_RANGES,
	TEXTRACE_PROCESSORS,
	TEXTRACE_DESCRIPTOR_TYPES,
	TEXTRACE_SITE_KINDS,
	TEXTRACE_SITE_FORMS,
	TEXTRACE_ENDINGS,
	TEXTRACE_NR_LISTS,
};

/* textrace_name: the name of a number in a list; NULL: the list does not have the number. */
const char *textrace_name(enum textrace_list list, uint64_t number);

/* textrace_number: finds the number of a name in a list; false: there is no such name. */
bool textrace_number(enum textrace_list list, const char *name, uint64_t *ret_number);

/* textrace_argument: the key and the list of a kind's argument; NULL: the argument is a plain number. */
const char *textrace_argument(unsigned kind, enum textrace_list *ret_list);

/* textrace_argument_list: the list that belongs to a key such as "outcome"; false: there is no such key. */
bool textrace_argument_list(const char *key, enum textrace_list *ret_list);

/* The kinds of definition lines. */
enum textrace_line {
	TEXTRACE_TRACE,
	TEXTRACE_PROCESS,
	TEXTRACE_THREAD,
	TEXTRACE_SITE,
	TEXTRACE_STACK,
	TEXTRACE_MAPPING,
	TEXTRACE_LOSS,
	TEXTRACE_NOTE,
	TEXTRACE_SIGHT,
	TEXTRACE_END,
	TEXTRACE_NR_LINES,
};

/* textrace_line_name: the first word of this kind of line. */
const char *textrace_line_name(enum textrace_line line);

/* The fields of the `trace` line, as a struct like those of event.h. */
struct textrace_trace {
	uint8_t run_id[16];
	const char *host;
	ct_time from; /* CT_NO_TIME: not given */
	ct_time until;
	int64_t epoch_realtime_ns;
	int64_t epoch_monotonic_ns;
	ct_time skew;
	ct_time reach;
	bool is_incomplete;
	bool has_no_end;
	uint64_t nr_impossible;
	bool is_from_memory;
	/* of a part: its first generation; 0: the trace begins with the recording */
	uint32_t generation;
	uint64_t nr_before;
	uint64_t nr_not_carried;
	bool is_cut;
	const char *reason;
	ct_time reason_time;
};

enum textrace_form {
	TEXTRACE_FORM_REFERENCE, /* uint32_t, always printed */
	TEXTRACE_FORM_NUMBER32,
	TEXTRACE_FORM_NUMBER64,
	TEXTRACE_FORM_SIGNED64,
	TEXTRACE_FORM_HEX64,
	TEXTRACE_FORM_OFFSET, /* uint64_t; CT_NO_OFFSET is left out */
	TEXTRACE_FORM_TIME,   /* CT_NO_TIME is left out */
	TEXTRACE_FORM_TEXT,
	TEXTRACE_FORM_FLAG, /* bool: a word without a value */
	TEXTRACE_FORM_ID,   /* 16 bytes, always printed */
	TEXTRACE_FORM_SITE_KIND,
	TEXTRACE_FORM_SITE_FORM,
	TEXTRACE_FORM_LOSS, /* always printed */
};

struct textrace_field {
	enum textrace_line line;
	const char *key;
	enum textrace_form form;
	size_t offset; /* offset in the line's struct */
};

/* textrace_fields: all fields; those of one kind of line are in the order in which they are printed. */
const struct textrace_field *textrace_fields(size_t *ret_count);

/* textrace_field: the field of a line with this key, or NULL. */
const struct textrace_field *textrace_field(enum textrace_line line, const char *key);

#endif
