/* SPDX-License-Identifier: MIT */
/*
 * One call of a tool: its arguments, checked by the table, and the answer that it puts together within a bound.
 *
 * An answer is made once, as structured content; its text is written from that (mcp_call_say), so that the two cannot
 * differ. Texts from the traced program go in through mcp_put_data alone.
 */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "mcp/tables.h"

struct json_object;
struct mcp_server;
struct mcp_trace;

/* The bytes of all rows of an answer together; rows beyond are counted as left out. */
#define MCP_ROWS_BYTES 6000u

struct mcp_call {
	struct mcp_server *server;
	enum mcp_tool tool;
	struct json_object *arguments; /* an object; the request's */
	struct json_object *progress;  /* the token that asks for signs of life; NULL: none */
	struct json_object *answer;    /* an object of the tool's shape */
	uint64_t nr_left_out;
	size_t nr_rows_bytes;
	bool has_failed;
	char failure[480]; /* one sentence; a name of somebody in it may have been cut anywhere */
};

/*
 * mcp_call_init: `arguments` and `progress` are borrowed until mcp_call_fini, `arguments` may be NULL. False: an
 * argument is missing, unknown, or no such value; the failure says which.
 */
bool mcp_call_init(struct mcp_call *call, struct mcp_server *server, enum mcp_tool tool,
	struct json_object *arguments, struct json_object *progress);
void mcp_call_fini(struct mcp_call *call);

/* mcp_call_fail: the call has failed, with one sentence. mcp_call_fail_with: with that of the library's failure. */
void mcp_call_fail(struct mcp_call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void mcp_call_fail_with(struct mcp_call *call, const struct ct_error *error);

/* mcp_call_end: puts what was left out into the answer. To be called when all else is in it. */
void mcp_call_end(struct mcp_call *call);

/* mcp_call_say: the answer of a call that has not failed, as text; for free(). NULL: out of memory. */
char *mcp_call_say(const struct mcp_call *call);

/* ---------------------------------------------------------------- arguments */

/* mcp_given: was it passed? mcp_given_text: NULL where it was not. mcp_given_number: `otherwise` where it was not. */
bool mcp_given(const struct mcp_call *call, enum mcp_argument argument);
const char *mcp_given_text(const struct mcp_call *call, enum mcp_argument argument);
uint64_t mcp_given_number(
	const struct mcp_call *call, enum mcp_argument argument, uint64_t otherwise);

/* mcp_given_word: which of the argument's words it is, from 0; -1: it was not passed. */
int mcp_given_word(const struct mcp_call *call, enum mcp_argument argument);

/*
 * mcp_given_time: a time as text, between `least` and `most` nanoseconds; `otherwise` where it was not passed. False,
 * with a failure: it is none, or beyond the bounds.
 */
bool mcp_given_time(struct mcp_call *call, enum mcp_argument argument, int64_t least, int64_t most,
	int64_t otherwise, int64_t *ret_ns);

/* mcp_call_trace: the open trace that a handle names; NULL, with a failure: there is none. */
struct mcp_trace *mcp_call_trace(struct mcp_call *call, enum mcp_argument handle);

/* ---------------------------------------------------------------- answers */

/*
 * mcp_put_...: a field of the call's answer, or of a row. DATA and places and threads come from the traced program; an
 * empty text, and index 0 of a table, put nothing.
 */
void mcp_put_data(struct json_object *row, const char *name, const char *text);
void mcp_put_word(struct json_object *row, const char *name, const char *word);
void mcp_put_count(struct json_object *row, const char *name, uint64_t count);
void mcp_put_signed(struct json_object *row, const char *name, int64_t number);
void mcp_put_yes(struct json_object *row, const char *name, bool is_so);
void mcp_put_span(struct json_object *row, const char *name, int64_t ns);
void mcp_put_moment(struct json_object *row, const char *name, ct_time time); /* not CT_NO_TIME */
void mcp_put_place(
	struct json_object *row, const char *name, const struct ct_tables *tables, uint32_t site);
void mcp_put_thread(
	struct json_object *row, const char *name, const struct ct_tables *tables, uint32_t thread);

/* mcp_put_process: the number of a process; nothing is put where only one was recorded. */
void mcp_put_process(struct json_object *row, const struct ct_tables *tables, uint32_t process);

/* mcp_put_texts: a list of sentences that may hold names of the program; none: nothing is put. */
void mcp_put_texts(struct mcp_call *call, struct json_object *row, const char *name,
	const char *const *texts, uint32_t nr_texts);

/* mcp_put_rows: an empty list, the answer's. mcp_put_row: an empty object, likewise. */
struct json_object *mcp_put_rows(struct json_object *object, const char *name);
struct json_object *mcp_put_row(struct json_object *object, const char *name);

/* mcp_row_new: for mcp_row_add, which takes it; false: the answer has no room for it, which is counted. */
struct json_object *mcp_row_new(void);
bool mcp_row_add(struct mcp_call *call, struct json_object *rows, struct json_object *row);

/* mcp_next: what to ask next, a tool with its arguments; words of ours only. */
void mcp_next(struct mcp_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
