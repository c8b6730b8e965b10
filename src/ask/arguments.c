/* SPDX-License-Identifier: MIT */
/*
 * Reads the arguments of a request.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ask/arguments.h"
#include "base/failure.h"

static const char *const keys[ASK_NR_KEYS] = {
#define A(NAME, name) [ASK_##NAME] = name,
#include "ask/requests.def"
#undef A
};

static bool is_known(const char *key)
{
	enum ask_key i;

	for (i = 0; i < ASK_NR_KEYS; i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

static uint32_t count(const struct ask_request *request, const char *key)
{
	uint32_t i, found = 0;

	for (i = 0; i < request->nr_arguments; i++)
		found += strcmp(request->arguments[i].key, key) == 0;
	return found;
}

enum ct_status ask_check(const struct ask_request *request, struct ct_error *reterr)
{
	uint32_t i;

	if (request->nr_arguments > ASK_ARGUMENTS_MAX)
		return ct_fail(reterr, CT_ERR_USAGE, "a request has at most %u arguments",
			ASK_ARGUMENTS_MAX);
	for (i = 0; i < request->nr_arguments; i++) {
		const char *key = request->arguments[i].key;

		if (!is_known(key))
			return ct_fail(reterr, CT_ERR_USAGE, "there is no argument '%.40s'", key);
		if (strcmp(key, keys[ASK_WHERE]) != 0 && count(request, key) > 1)
			return ct_fail(reterr, CT_ERR_USAGE, "the argument '%s' comes twice", key);
	}
	return CT_OK;
}

const char *ask_text(const struct ask_request *request, enum ask_key key)
{
	uint32_t i;

	for (i = 0; i < request->nr_arguments; i++)
		if (strcmp(request->arguments[i].key, keys[key]) == 0)
			return request->arguments[i].value;
	return NULL;
}

/* strtoll, but blanks in front, numbers that are too large, and empty texts are errors. */
static bool read_number(const char *text, char **ret_end, int64_t *ret_number)
{
	if (!isdigit((unsigned char)text[*text == '-']))
		return false;
	errno = 0;
	*ret_number = strtoll(text, ret_end, 10);
	return errno == 0;
}

/* The same for ids, which have 64 bits. */
static bool read_id(const char *text, char **ret_end, uint64_t *ret_id)
{
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*ret_id = strtoull(text, ret_end, 10);
	return errno == 0;
}

enum ct_status ask_id(const struct ask_request *request, enum ask_key key, uint64_t *ret_id,
	struct ct_error *reterr)
{
	const char *text = ask_text(request, key);
	char *end;

	*ret_id = 0;
	if (!text || (read_id(text, &end, ret_id) && !*end))
		return CT_OK;
	return ct_fail(reterr, CT_ERR_USAGE, "the argument '%s' takes an id, and not '%.40s'",
		keys[key], text);
}

enum ct_status ask_number(const struct ask_request *request, enum ask_key key, int64_t otherwise,
	int64_t *ret_number, struct ct_error *reterr)
{
	const char *text = ask_text(request, key);
	char *end;

	*ret_number = otherwise;
	if (!text || (read_number(text, &end, ret_number) && !*end))
		return CT_OK;
	return ct_fail(reterr, CT_ERR_USAGE,
		"the argument '%s' takes a whole number, and not '%.40s'", keys[key], text);
}

/* ---------------------------------------------------------------- rows */

enum ct_status ask_column(enum ct_view_table table, const char *name, size_t length,
	uint32_t *ret_column, struct ct_error *reterr)
{
	const struct ct_view_description *of = ct_view_describe(table);

	for (*ret_column = 0; *ret_column < of->nr_columns; ++*ret_column) {
		const char *own = of->columns[*ret_column].name;

		if (strlen(own) == length && memcmp(own, name, length) == 0)
			return CT_OK;
	}
	return ct_fail(reterr, CT_ERR_USAGE, "the table %s has no column '%.*s'", of->name,
		(int)(length < 40 ? length : 40), name);
}

static enum ct_status read_table(struct ask_rows *rows, const char *name, struct ct_error *reterr)
{
	if (!name)
		return ct_fail(reterr, CT_ERR_USAGE, "the argument 'table' is missing");
	rows->request.table = ct_view_find_table(name);
	if (rows->request.table == CT_VIEW_NR_TABLES)
		return ct_fail(reterr, CT_ERR_USAGE, "there is no table '%.40s'", name);
	return CT_OK;
}

static enum ct_status read_columns(
	struct ask_rows *rows, const char *names, struct ct_error *reterr)
{
	struct ct_view_request *request = &rows->request;
	enum ct_status status = CT_OK;
	size_t length;

	if (!names)
		return CT_OK;
	request->columns = rows->columns;
	for (;; names += length + 1) {
		length = strcspn(names, ",");
		if (request->nr_columns == ASK_COLUMNS_MAX)
			return ct_fail(reterr, CT_ERR_USAGE, "at most %u columns are answered",
				ASK_COLUMNS_MAX);
		status = ask_column(request->table, names, length,
			&rows->columns[request->nr_columns++], reterr);
		if (status || !names[length])
			return status;
	}
}

static const char *const comparisons[CT_VIEW_NR_COMPARES] = {
	[CT_VIEW_EQUAL] = "=",
	[CT_VIEW_UNEQUAL] = "!=",
	[CT_VIEW_LESS] = "<",
	[CT_VIEW_AT_MOST] = "<=",
	[CT_VIEW_MORE] = ">",
	[CT_VIEW_AT_LEAST] = ">=",
	[CT_VIEW_MATCHES] = "~",
};

/* The longest comparison sign at the beginning of the text; CT_VIEW_NR_COMPARES: none. */
static enum ct_view_compare comparison_at(const char *text)
{
	enum ct_view_compare found = CT_VIEW_NR_COMPARES, i;

	for (i = 0; i < CT_VIEW_NR_COMPARES; i++)
		if (strncmp(text, comparisons[i], strlen(comparisons[i])) == 0 &&
			(found == CT_VIEW_NR_COMPARES ||
				strlen(comparisons[i]) > strlen(comparisons[found])))
			found = i;
	return found;
}

static enum ct_status read_term(struct ask_rows *rows, const char *text, struct ct_error *reterr)
{
	size_t length = strcspn(text, "=!<>~");
	enum ct_view_compare compare = comparison_at(text + length);
	struct ct_view_term *term = &rows->terms[rows->request.nr_terms];
	enum ct_status status;
	char *value;

	if (compare == CT_VIEW_NR_COMPARES)
		return ct_fail(reterr, CT_ERR_USAGE,
			"a condition is a column, one of = != < <= > >= ~, and a value: '%.40s'",
			text);
	status = ask_column(rows->request.table, text, length, &term->column, reterr);
	if (status)
		return status;
	term->compare = compare;
	value = strdup(text + length + strlen(comparisons[compare]));
	rows->texts[rows->request.nr_terms++] = value;
	term->text = value;
	if (!value)
		return ct_fail_memory(reterr);
	/* Nothing after the sign means an empty cell. */
	if (!*value && compare != CT_VIEW_MATCHES) {
		term->text = NULL;
		term->number = ct_view_none(
			ct_view_describe(rows->request.table)->columns[term->column].type);
	}
	return CT_OK;
}

static enum ct_status read_terms(
	struct ask_rows *rows, const struct ask_request *request, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	uint32_t i;

	rows->request.terms = rows->terms;
	for (i = 0; i < request->nr_arguments && status == CT_OK; i++)
		if (strcmp(request->arguments[i].key, keys[ASK_WHERE]) == 0)
			status = read_term(rows, request->arguments[i].value, reterr);
	return status;
}

static enum ct_status read_order(struct ask_rows *rows, const char *text, struct ct_error *reterr)
{
	if (!text)
		return CT_OK;
	rows->request.is_sorted = true;
	rows->request.is_descending = *text == '-';
	text += rows->request.is_descending;
	return ask_column(rows->request.table, text, strlen(text), &rows->request.order, reterr);
}

static enum ct_status read_page(
	struct ask_rows *rows, const struct ask_request *request, struct ct_error *reterr)
{
	int64_t offset, limit;
	enum ct_status status = ask_number(request, ASK_OFFSET, 0, &offset, reterr);

	if (status == CT_OK)
		status = ask_number(request, ASK_LIMIT, 1000, &limit, reterr);
	if (status)
		return status;
	if (offset < 0 || limit < 1 || limit > ASK_ROWS_MAX)
		return ct_fail(reterr, CT_ERR_USAGE,
			"a page begins at 0 or behind it, and has 1 to %u rows", ASK_ROWS_MAX);
	rows->request.offset = (uint64_t)offset;
	rows->request.limit = (uint64_t)limit;
	return CT_OK;
}

enum ct_status ask_rows_init(
	struct ask_rows *rows, const struct ask_request *request, struct ct_error *reterr)
{
	enum ct_status status;

	memset(rows, 0, sizeof(*rows));
	rows->request.size = sizeof(rows->request);
	status = read_table(rows, ask_text(request, ASK_TABLE), reterr);
	if (status == CT_OK)
		status = read_columns(rows, ask_text(request, ASK_COLUMNS), reterr);
	if (status == CT_OK)
		status = read_terms(rows, request, reterr);
	if (status == CT_OK)
		status = read_order(rows, ask_text(request, ASK_ORDER), reterr);
	if (status == CT_OK)
		status = read_page(rows, request, reterr);
	return status;
}

void ask_rows_fini(struct ask_rows *rows)
{
	uint32_t i;

	for (i = 0; i < rows->request.nr_terms; i++)
		free(rows->texts[i]);
}

/* ---------------------------------------------------------------- lanes */

static bool read_lane(const char **at, struct ct_view_lane *lane)
{
	uint64_t first, second = 0;
	char kind = **at, *end;

	if (!kind || !strchr("cto", kind) || !read_id(*at + 1, &end, &first))
		return false;
	if (kind != 't' && (*end != '.' || !read_id(end + 1, &end, &second)))
		return false;
	if (first > UINT32_MAX)
		return false;
	lane->kind = kind == 'c'   ? CT_VIEW_LANE_COROUTINE
		     : kind == 'o' ? CT_VIEW_LANE_OBJECT
				   : CT_VIEW_LANE_THREAD;
	lane->process = kind == 't' ? 0 : (uint32_t)first;
	lane->id = kind == 't' ? first : second;
	*at = end;
	return *end == '\0' || *end == ',';
}

enum ct_status ask_lanes_read(struct ask_lanes *lanes, const char *text, struct ct_error *reterr)
{
	struct ct_view_lane lane;
	const char *at = text;

	while (at && *at) {
		if (lanes->all.count == ASK_LANES_MAX)
			return ct_fail(reterr, CT_ERR_USAGE, "at most %u lanes are answered",
				ASK_LANES_MAX);
		if (!read_lane(&at, &lane))
			return ct_fail(reterr, CT_ERR_USAGE,
				"a lane is 'cPROCESS.COROUTINE', 'tTHREAD' or 'oPROCESS.HANDLE', "
				"and not '%.40s'",
				at);
		if (!vec_push(&lanes->all, lane))
			return ct_fail_memory(reterr);
		at += *at == ',';
	}
	return CT_OK;
}
