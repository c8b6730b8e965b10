/* SPDX-License-Identifier: MIT */
/*
 * Converts the arguments of a request to what a view takes. A function that fails says in one sentence what it could
 * not understand.
 */
#ifndef ASK_ARGUMENTS_H
#define ASK_ARGUMENTS_H

#include "ask/ask.h"
#include "base/vec.h"

enum ask_key {
#define A(NAME, name) ASK_##NAME,
#include "ask/requests.def"
#undef A
	ASK_NR_KEYS,
};

/* ask_check: checks that every argument is known, and that only WHERE occurs more than once. */
enum ct_status ask_check(const struct ask_request *request, struct ct_error *reterr);

/* ask_text: returns the value of an argument, which belongs to the request; NULL: there is no such argument. */
const char *ask_text(const struct ask_request *request, enum ask_key key);

/* ask_id: reads the id of a coroutine; 0 if there is no such argument. */
enum ct_status ask_id(const struct ask_request *request, enum ask_key key, uint64_t *ret_id,
	struct ct_error *reterr);

/* ask_number: reads a whole number in digits; `otherwise` if there is no such argument. */
enum ct_status ask_number(const struct ask_request *request, enum ask_key key, int64_t otherwise,
	int64_t *ret_number, struct ct_error *reterr);

/* A request for rows. The texts of its terms belong to this struct. */
struct ask_rows {
	uint32_t columns[ASK_COLUMNS_MAX];
	struct ct_view_term terms[ASK_ARGUMENTS_MAX];
	char *texts[ASK_ARGUMENTS_MAX];
	struct ct_view_request request; /* refers to the arrays above */
};

/*
 * ask_rows_init: reads table, columns, where, order, offset and limit. ask_rows_fini: frees them, also after a
 * failure.
 */
enum ct_status ask_rows_init(
	struct ask_rows *rows, const struct ask_request *request, struct ct_error *reterr);
void ask_rows_fini(struct ask_rows *rows);

/* ask_column: finds the column of a table by its name. */
enum ct_status ask_column(enum ct_view_table table, const char *name, size_t length,
	uint32_t *ret_column, struct ct_error *reterr);

struct ask_lanes {
	VEC(struct ct_view_lane) all;
};

/*
 * ask_lanes_read: reads a list of lanes: "c1.4711,t3,o1.144115188075855991" is coroutine 4711 of process 1, thread 3,
 * and the object of process 1 with this handle. The caller frees the array, also after a failure.
 */
enum ct_status ask_lanes_read(struct ask_lanes *lanes, const char *text, struct ct_error *reterr);

#endif
