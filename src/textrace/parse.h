/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the parts of the text form's reader share: the tables and events that are being built.
 */
#ifndef TEXTRACE_PARSE_H
#define TEXTRACE_PARSE_H

#include "base/failure.h"
#include "base/vec.h"
#include "stream/lists.h"
#include "textrace/textrace.h"
#include "textrace/names.h"
#include "textrace/words.h"

#define TEXTRACE_NOT_GIVEN (CT_NO_TIME + 1) /* `attached` before its line was read */

/* An event and its place in the order (order.h). `event.sequence` is the position of its line. */
struct textrace_placed {
	ct_time place;
	struct ct_event event;
	bool is_carried;
};

struct textrace_source {
	struct ct_source source;
	struct ct_tables tables;
	char *buffer; /* the text, to which the tables point */
	struct lists lists;
	VEC(struct textrace_placed) events;
	struct textrace_trace trace;
	size_t next;
};

/* The reader's position, for messages. */
struct textrace_parser {
	struct textrace_source *source;
	const char *name;
	unsigned line;
	uint64_t offset; /* of the line's first byte */
	ct_time last_time;
	struct textrace_words words;
	struct ct_error *reterr;
};

/* textrace_refuse: makes an error of "NAME:LINE: " and the sentence; returns CT_ERR_FORMAT. */
enum ct_status textrace_refuse(struct textrace_parser *parser, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));

/*
 * textrace_parse: parses the whole text into the source's tables and events. One byte behind the end of `text` must be
 * writable.
 */
enum ct_status textrace_parse(struct textrace_parser *parser, char *text, size_t nr_bytes);

/* textrace_parse_event: parses a line whose first word, `time`, was taken; the parser has the other words. */
enum ct_status textrace_parse_event(struct textrace_parser *parser, const char *time);

#endif
