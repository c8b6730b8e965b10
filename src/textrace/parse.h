/* SPDX-License-Identifier: MIT */
/*
 * Shared by the parts of the text form's reader: the tables and events in the making.
 */
#ifndef TEXTRACE_PARSE_H
#define TEXTRACE_PARSE_H

#include "base/failure.h"
#include "base/vec.h"
#include "stream/lists.h"
#include "textrace/textrace.h"
#include "textrace/names.h"
#include "textrace/words.h"

#define TEXTRACE_NOT_GIVEN (CT_NO_TIME + 1) /* `attached`, before its line was read */

/* An event and its place among the others (order.h). `event.sequence` is its line's place. */
struct textrace_placed {
	ct_time place;
	struct ct_event event;
	bool is_carried;
};

struct textrace_source {
	struct ct_source source;
	struct ct_tables tables;
	char *buffer; /* the text; what the tables say lies in it */
	struct lists lists;
	VEC(struct textrace_placed) events;
	struct textrace_trace trace;
	size_t next;
};

/* Where the reader is, for messages. */
struct textrace_parser {
	struct textrace_source *source;
	const char *name;
	unsigned line;
	uint64_t offset; /* of the line's first byte */
	ct_time last_time;
	struct textrace_words words;
	struct ct_error *reterr;
};

/* textrace_refuse: "NAME:LINE: " and the sentence, CT_ERR_FORMAT. */
enum ct_status textrace_refuse(struct textrace_parser *parser, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));

/* textrace_parse: all of the text into the source's tables and events. `text` has a byte to spare
 * behind its end. */
enum ct_status textrace_parse(struct textrace_parser *parser, char *text, size_t nr_bytes);

/* textrace_parse_event: one line whose first word is a time; the words behind it are left. */
enum ct_status textrace_parse_event(struct textrace_parser *parser, const char *time);

#endif
