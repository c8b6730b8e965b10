/* SPDX-License-Identifier: MIT */
/*
 * Conditions of any bytes. A condition that can be read must be within the tables, and its printed form must be read as
 * the same condition; the error for one that cannot be read must name a place inside the text.
 */
#include <stdlib.h>
#include <string.h>

#include "condition/condition.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static void check_read(const struct condition *condition, enum condition_where where)
{
	struct condition again;
	struct text text = {0};

	require(condition->metric < CONDITION_NR_METRICS);
	require(condition_metrics[condition->metric].where & where);
	require(strlen(condition->name) < CONDITION_NAME_BYTES && condition->limit >= 0);
	require(condition_holds(condition, condition->limit) ==
		(strchr("=", condition->comparison[0]) != NULL ||
			(condition->comparison[1] == '=' && condition->comparison[0] != '!')));
	condition_tell_asked(condition, &text);
	text_format(&text, " %s ", condition->comparison);
	if (condition->unit == CONDITION_TIME)
		text_format(&text, "%.0fns", condition->limit);
	else
		condition_tell_value(condition, condition->limit, &text);
	require(condition_parse(text_peek(&text), where, &again, NULL) == CT_OK);
	require(again.metric == condition->metric && strcmp(again.name, condition->name) == 0);
	require(again.asked == condition->asked && again.least == condition->least);
	require(again.unit == condition->unit);
	text_fini(&text);
}

static void parse(const char *text, enum condition_where where)
{
	struct condition condition;
	struct ct_error error;
	enum ct_status status = condition_parse(text, where, &condition, &error);

	require(status == CT_OK || status == CT_ERR_USAGE);
	if (status)
		require(error.offset <= strlen(text) && *error.text);
	else
		check_read(&condition, where);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	char *text = malloc(nr_bytes + 1);

	if (!text)
		return 0;
	memcpy(text, bytes, nr_bytes);
	text[nr_bytes] = '\0';
	parse(text, CONDITION_LIVE);
	parse(text, CONDITION_REPORT);
	free(text);
	return 0;
}
