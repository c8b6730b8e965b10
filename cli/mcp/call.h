/* SPDX-License-Identifier: MIT */
/*
 * One call of a tool: its arguments, checked by the table, and its answer, whose size is limited.
 *
 * An answer is built once, as structured content; its text is made from that (mcp_call_say), so the two cannot differ.
 * Texts from the traced program are added only by mcp_put_data.
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

/* The largest size of all rows of an answer, in bytes; further rows are counted as left out. */
#define MCP_ROWS_BYTES 6000u

struct mcp_call {
	struct mcp_server *server;
	enum mcp_tool tool;
	struct json_object *arguments; /* an object; belongs to the request */
	struct json_object *progress;  /* the token for progress messages; NULL: none are wanted */
	struct json_object *answer;    /* an object of the tool's shape */
	uint64_t nr_left_out;
	size_t nr_rows_bytes;
	bool has_failed;
	/* one sentence; a name from outside in it may have been cut at any byte */
	char failure[480];
};

/*
 * mcp_call_init: `arguments` and `progress` are borrowed until mcp_call_fini; `arguments` may be NULL. False: an
 * argument is missing, unknown, or has a wrong value; the failure says which.
 */
bool mcp_call_init(struct mcp_call *call, struct mcp_server *server, enum mcp_tool tool,
	struct json_object *arguments, struct json_object *progress);
void mcp_call_fini(struct mcp_call *call);

/*
 * mcp_call_fail: makes the call fail with one sentence. mcp_call_fail_with: makes it fail with the sentence of a
 * library error.
 */
void mcp_call_fail(struct mcp_call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void mcp_call_fail_with(struct mcp_call *call, const struct ct_error *error);

/*
 * mcp_call_end: puts the number of rows left out into the answer. Must be called when the answer is otherwise complete.
 */
void mcp_call_end(struct mcp_call *call);

/* mcp_call_say: returns the answer of a call that has not failed as text, for free(). NULL: out of memory. */
char *mcp_call_say(const struct mcp_call *call);

/* ---------------------------------------------------------------- arguments */

/*
 * mcp_given: was the argument passed? mcp_given_text: its text; NULL if it was not passed. mcp_given_number: its
 * number; `otherwise` if it was not passed.
 */
bool mcp_given(const struct mcp_call *call, enum mcp_argument argument);
const char *mcp_given_text(const struct mcp_call *call, enum mcp_argument argument);
uint64_t mcp_given_number(
	const struct mcp_call *call, enum mcp_argument argument, uint64_t otherwise);

/* mcp_given_word: the index of the argument's word, from 0; -1: the argument was not passed. */
int mcp_given_word(const struct mcp_call *call, enum mcp_argument argument);

/*
 * mcp_given_time: reads a time between `least` and `most` nanoseconds; `otherwise` if the argument was not passed.
 * False, and the call has failed: the text is not a time, or the time is out of bounds.
 */
bool mcp_given_time(struct mcp_call *call, enum mcp_argument argument, int64_t least, int64_t most,
	int64_t otherwise, int64_t *ret_ns);

/* mcp_call_trace: finds the open trace that a handle names; NULL, and the call has failed: there is none. */
struct mcp_trace *mcp_call_trace(struct mcp_call *call, enum mcp_argument handle);

/* ---------------------------------------------------------------- answers */

/*
 * mcp_put_...: adds a field to the call's answer, or to a row. Data, places and threads come from the traced program;
 * an empty text, or index 0 of a table, adds nothing.
 */
void mcp_put_data(struct json_object *row, const char *name, const char *text);
void mcp_put_word(struct json_object *row, const char *name, const char *word);
void mcp_put_count(struct json_object *row, const char *name, uint64_t count);
void mcp_put_signed(struct json_object *row, const char *name, int64_t number);
void mcp_put_yes(struct json_object *row, const char *name, bool is_so);
void mcp_put_span(struct json_object *row, const char *name, int64_t ns);
/* must not be CT_NO_TIME */
void mcp_put_moment(struct json_object *row, const char *name, ct_time time);
void mcp_put_place(
	struct json_object *row, const char *name, const struct ct_tables *tables, uint32_t site);
void mcp_put_thread(
	struct json_object *row, const char *name, const struct ct_tables *tables, uint32_t thread);

/* mcp_put_process: adds the number of a process; adds nothing if only one process was recorded. */
void mcp_put_process(struct json_object *row, const struct ct_tables *tables, uint32_t process);

/* mcp_put_texts: adds a list of sentences that may contain names of the program; adds nothing if the list is empty. */
void mcp_put_texts(struct mcp_call *call, struct json_object *row, const char *name,
	const char *const *texts, uint32_t nr_texts);

/*
 * mcp_put_rows: adds an empty list, which belongs to the answer. mcp_put_row: adds an empty object, which belongs to
 * the answer.
 */
struct json_object *mcp_put_rows(struct json_object *object, const char *name);
struct json_object *mcp_put_row(struct json_object *object, const char *name);

/*
 * mcp_row_new: makes a row for mcp_row_add, which takes it over; mcp_row_add returns false if the answer has no room
 * for the row, and counts it.
 */
struct json_object *mcp_row_new(void);
bool mcp_row_add(struct mcp_call *call, struct json_object *rows, struct json_object *row);

/* mcp_next: adds a suggestion for the next call: a tool with its arguments. The words must be ours. */
void mcp_next(struct mcp_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
