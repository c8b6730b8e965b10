/* SPDX-License-Identifier: MIT */
/*
 * Our SQL functions: percentiles by the definition of all reports, and times and places in words.
 */

#include "base/histogram.h"
#include "query/query.h"

static const double shares[] = {
#define SHARE(name, share, meaning) share,
#define X(name, arguments, meaning)
#include "query/functions.def"
#undef SHARE
#undef X
};

static const char *const share_names[] = {
#define SHARE(name, share, meaning) #name,
#define X(name, arguments, meaning)
#include "query/functions.def"
#undef SHARE
#undef X
};

static const struct ct_query_function functions[] = {
#define SHARE(name, share, meaning) {#name, "x", meaning},
#define X(name, arguments, meaning) {name, arguments, meaning},
#include "query/functions.def"
#undef SHARE
#undef X
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct ct_query_function *ct_query_functions(uint32_t *ret_count)
{
	*ret_count = COUNT(functions);
	return functions;
}

/* ---------------------------------------------------------------- percentiles */

struct percentile {
	double share; /* the share that was given last */
	struct histogram histogram;
};

static void add(sqlite3_context *context, double share, sqlite3_value *value)
{
	struct percentile *percentile = sqlite3_aggregate_context(context, sizeof(*percentile));
	int64_t number = sqlite3_value_int64(value);

	if (!percentile) {
		sqlite3_result_error_nomem(context);
		return;
	}
	percentile->share = share;
	if (sqlite3_value_numeric_type(value) == SQLITE_INTEGER ||
		sqlite3_value_type(value) == SQLITE_FLOAT)
		histogram_add(&percentile->histogram, number > 0 ? (uint64_t)number : 0);
}

static void add_to_share(sqlite3_context *context, int nr_values, sqlite3_value **values)
{
	(void)nr_values;
	add(context, *(const double *)sqlite3_user_data(context), values[0]);
}

static void add_to_percentile(sqlite3_context *context, int nr_values, sqlite3_value **values)
{
	double share = sqlite3_value_double(values[1]);

	(void)nr_values;
	if (share > 0 && share <= 1)
		add(context, share, values[0]);
	else
		sqlite3_result_error(
			context, "percentile: the share is above 0 and at most 1: 0.95", -1);
}

static void tell_percentile(sqlite3_context *context)
{
	const struct percentile *percentile = sqlite3_aggregate_context(context, 0);

	if (percentile && percentile->histogram.count)
		sqlite3_result_int64(context,
			(sqlite3_int64)histogram_at(&percentile->histogram, percentile->share));
}

/* ---------------------------------------------------------------- words */

static void tell_duration(sqlite3_context *context, int nr_values, sqlite3_value **values)
{
	struct text text = {0};
	int type = sqlite3_value_numeric_type(values[0]);

	(void)nr_values;
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
		return;
	text_duration(&text, sqlite3_value_int64(values[0]));
	if (text.is_broken)
		sqlite3_result_error_nomem(context);
	else
		sqlite3_result_text(context, text_peek(&text), -1, SQLITE_TRANSIENT);
	text_fini(&text);
}

static void tell_place(sqlite3_context *context, int nr_values, sqlite3_value **values)
{
	const char *words;

	(void)nr_values;
	if (sqlite3_value_numeric_type(values[0]) != SQLITE_INTEGER)
		return;
	words = query_place(sqlite3_user_data(context), sqlite3_value_int64(values[0]));
	if (!words)
		sqlite3_result_error_nomem(context);
	else if (*words)
		sqlite3_result_text(context, words, -1, SQLITE_TRANSIENT);
}

#define FLAGS (SQLITE_UTF8 | SQLITE_DETERMINISTIC)

int query_functions_create(struct ct_query *query)
{
	sqlite3 *database = query->database;
	int result = sqlite3_create_function(
		database, "duration", 1, FLAGS, NULL, tell_duration, NULL, NULL);
	size_t i;

	if (result == SQLITE_OK)
		result = sqlite3_create_function(
			database, "place", 1, FLAGS, query, tell_place, NULL, NULL);
	if (result == SQLITE_OK)
		result = sqlite3_create_function(database, "percentile", 2, FLAGS, NULL, NULL,
			add_to_percentile, tell_percentile);
	for (i = 0; i < COUNT(shares) && result == SQLITE_OK; i++)
		result = sqlite3_create_function(database, share_names[i], 1, FLAGS,
			(void *)(uintptr_t)&shares[i], NULL, add_to_share, tell_percentile);
	return result;
}
