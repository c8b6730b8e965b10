/* SPDX-License-Identifier: MIT */
/*
 * Reading conditions, and comparing.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "stages/watch_condition.h"
#include "corotracer/ct.h"
#include "base/duration.h"

const struct watch_metric_description watch_metrics[WATCH_NR_METRICS] = {
#define X(name, text, of, unit, meaning) {text, WATCH_OF_##of, WATCH_UNIT_##unit, meaning},
#include "stages/watch_metrics.def"
#undef X
};

static const struct {
	const char *name;
	double share;
} statistics[] = {
#define X(name, text, share) {text, share},
#include "stages/watch_statistics.def"
#undef X
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct reader {
	const char *text; /* all of it, for sentences */
	const char *at;
	struct condition *condition;
	struct ct_error *reterr;
};

static void skip_spaces(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at))
		reader->at++;
}

/* Takes a word of which the text is the beginning, if no longer word could be meant. */
static bool take(struct reader *reader, const char *word)
{
	size_t length = strlen(word);

	skip_spaces(reader);
	if (strncmp(reader->at, word, length) != 0)
		return false;
	if (length && isalnum((unsigned char)word[length - 1]) &&
		(isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_'))
		return false;
	reader->at += length;
	return true;
}

static enum ct_status complain(struct reader *reader, const char *wanted)
{
	return ct_fail(reader->reterr, CT_ERR_USAGE, "condition '%s': at '%s': %s", reader->text,
		reader->at, wanted);
}

/* Takes the sentence, and releases it. */
static enum ct_status complain_with(struct reader *reader, struct text *wanted)
{
	enum ct_status status = complain(reader, text_peek(wanted));

	text_fini(wanted);
	return status;
}

static enum ct_status complain_of_metric(struct reader *reader)
{
	struct text wanted = {0};
	size_t i;

	text_add(&wanted, "it begins with one of ");
	for (i = 0; i < WATCH_NR_METRICS; i++)
		text_format(&wanted, "%s%s", i ? ", " : "", watch_metrics[i].name);
	return complain_with(reader, &wanted);
}

static enum ct_status complain_of_statistic(struct reader *reader)
{
	size_t i, last = COUNT_OF(statistics) - 1;
	struct text wanted = {0};

	text_format(&wanted, "this statistic is not known; there are %s", statistics[0].name);
	for (i = 1; i <= last; i++)
		text_format(&wanted, "%s%s", i < last ? ", " : " and ", statistics[i].name);
	return complain_with(reader, &wanted);
}

static enum ct_status read_metric(struct reader *reader)
{
	size_t i;

	for (i = 0; i < WATCH_NR_METRICS; i++) {
		if (!take(reader, watch_metrics[i].name))
			continue;
		reader->condition->metric = (enum watch_metric)i;
		return CT_OK;
	}
	return complain_of_metric(reader);
}

static const struct watch_metric_description *asked(const struct reader *reader)
{
	return &watch_metrics[reader->condition->metric];
}

static bool is_rule(const char *pattern)
{
	unsigned i;

	for (i = CT_RULE_NONE + 1; i < CT_NR_RULES; i++)
		if (fnmatch(pattern, ct_rule_name((enum ct_rule)i), 0) == 0)
			return true;
	return false;
}

static enum ct_status read_name(struct reader *reader)
{
	enum watch_of of = asked(reader)->of;
	const char *end;
	size_t length;

	if (of != WATCH_OF_NAMED_VALUE && of != WATCH_OF_NAMED_SPREAD)
		return CT_OK;
	if (!take(reader, "("))
		return complain(reader, "a name in brackets is missing, as in region(db.query)");
	end = strrchr(reader->at, ')');
	length = end ? (size_t)(end - reader->at) : 0;
	if (length == 0 || length >= CONDITION_NAME_BYTES)
		return complain(reader, "a name and ')' are missing");
	memcpy(reader->condition->name, reader->at, length);
	if (asked(reader)->unit == WATCH_UNIT_GRADE && !is_rule(reader->condition->name))
		return complain(
			reader, "no rule has this name; reports name those that they looked for");
	reader->at = end + 1;
	return CT_OK;
}

static enum ct_status read_statistic(struct reader *reader)
{
	enum watch_of of = asked(reader)->of;
	const char *before;
	size_t i;

	if (of != WATCH_OF_SPREAD && of != WATCH_OF_NAMED_SPREAD)
		return CT_OK;
	if (!take(reader, "."))
		return complain(reader, "a statistic is missing, as in .p99 or .max");
	/* "p99" is the beginning of "p99.9": the longest that fits is meant. */
	for (before = reader->at, i = COUNT_OF(statistics); i-- > 0;) {
		reader->at = before;
		if (!take(reader, statistics[i].name) || *reader->at == '.')
			continue;
		reader->condition->share = statistics[i].share;
		reader->condition->statistic = statistics[i].name;
		return CT_OK;
	}
	reader->at = before;
	return complain_of_statistic(reader);
}

static enum ct_status read_comparison(struct reader *reader)
{
	static const char *const comparisons[] = {">=", "<=", ">", "<"};
	size_t i;

	for (i = 0; i < COUNT_OF(comparisons); i++) {
		if (take(reader, comparisons[i])) {
			memcpy(reader->condition->comparison, comparisons[i],
				strlen(comparisons[i]) + 1);
			return CT_OK;
		}
	}
	return complain(reader, "a comparison is missing: <, <=, > or >=");
}

/* The rest, without the blanks between a number and its unit, and behind it. */
static bool take_rest(struct reader *reader, char *ret_word, size_t nr_bytes)
{
	const char *at;
	size_t used = 0;

	skip_spaces(reader);
	for (at = reader->at; *at; at++) {
		bool is_blank = isspace((unsigned char)*at);

		if ((is_blank && isdigit((unsigned char)at[1])) || used + 1 == nr_bytes)
			return false;
		if (!is_blank)
			ret_word[used++] = *at;
	}
	ret_word[used] = '\0';
	return used > 0;
}

static bool read_count(const char *word, double *ret_count)
{
	char *end;

	*ret_count = strtod(word, &end);
	if (end == word || !(*ret_count >= 0 && *ret_count < 1e18))
		return false;
	if (*end == 'k' || *end == 'M')
		*ret_count *= *end++ == 'k' ? 1e3 : 1e6;
	return !*end;
}

static bool read_time(const char *word, double *ret_ns)
{
	int64_t ns;

	if (!duration_read(word, &ns))
		return false;
	*ret_ns = (double)ns;
	return true;
}

static bool read_grade(const char *word, double *ret_grade)
{
	unsigned grade;

	for (grade = CT_GRADE_SUSPECT; grade <= CT_GRADE_PROVEN; grade++) {
		if (strcmp(word, ct_grade_name((enum ct_grade)grade)) == 0) {
			*ret_grade = grade;
			return true;
		}
	}
	return false;
}

static const struct {
	bool (*read)(const char *word, double *ret_limit);
	const char *wanted;
} units[] = {
	[WATCH_UNIT_TIME] = {read_time, "a time is a number with " DURATION_UNITS " behind it"},
	[WATCH_UNIT_COUNT] = {read_count, "a count is a number, with k or M behind it or nothing"},
	[WATCH_UNIT_GRADE] = {read_grade, "a grade is suspect, likely or proven"},
};

static enum ct_status read_limit(struct reader *reader)
{
	enum watch_unit unit = asked(reader)->unit;
	char word[64];

	if (take_rest(reader, word, sizeof(word)) &&
		units[unit].read(word, &reader->condition->limit))
		return CT_OK;
	return complain(reader, units[unit].wanted);
}

enum ct_status watch_condition_parse(
	const char *text, struct condition *ret_condition, struct ct_error *reterr)
{
	struct reader reader = {text, text, ret_condition, reterr};
	enum ct_status status;

	*ret_condition = (struct condition){.statistic = ""};
	status = read_metric(&reader);
	if (status == CT_OK)
		status = read_name(&reader);
	if (status == CT_OK)
		status = read_statistic(&reader);
	if (status == CT_OK)
		status = read_comparison(&reader);
	return status ? status : read_limit(&reader);
}

bool watch_condition_holds(const struct condition *condition, double value)
{
	bool is_equal_enough = condition->comparison[1] == '=';

	if (condition->comparison[0] == '>')
		return is_equal_enough ? value >= condition->limit : value > condition->limit;
	return is_equal_enough ? value <= condition->limit : value < condition->limit;
}

bool watch_condition_is_near(const struct condition *condition, double value)
{
	double margin = condition->limit / 10;

	if (condition->comparison[0] == '>')
		return value > condition->limit - margin;
	return value < condition->limit + margin;
}

static void tell_value(const struct condition *condition, double value, struct text *text)
{
	switch (watch_metrics[condition->metric].unit) {
	case WATCH_UNIT_TIME:
		text_duration(text, (int64_t)value);
		break;
	case WATCH_UNIT_COUNT:
		text_format(text, "%.15g", value);
		break;
	case WATCH_UNIT_GRADE:
		text_add(text, ct_grade_name((enum ct_grade)value));
		break;
	}
}

static const char *words_comparison(const struct condition *condition)
{
	if (watch_metrics[condition->metric].unit == WATCH_UNIT_GRADE)
		return "asked for was";
	return condition->comparison[0] == '>' ? "over the limit of" : "below the limit of";
}

void watch_condition_tell(const struct condition *condition, double value, struct text *text)
{
	text_add(text, watch_metrics[condition->metric].name);
	if (*condition->name)
		text_format(text, "(%s)", condition->name);
	if (*condition->statistic)
		text_format(text, ".%s", condition->statistic);
	text_add(text, " is ");
	tell_value(condition, value, text);
	text_format(text, ", %s ", words_comparison(condition));
	if (watch_metrics[condition->metric].unit == WATCH_UNIT_GRADE)
		text_format(text, "%s ", condition->comparison);
	tell_value(condition, condition->limit, text);
}
