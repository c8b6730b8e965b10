/* SPDX-License-Identifier: MIT */
/*
 * Parses conditions, and compares.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "condition/condition.h"
#include "corotracer/ct.h"
#include "base/duration.h"

#define TIME CONDITION_TIME
#define COUNT CONDITION_COUNT
#define GRADE CONDITION_GRADE
#define SHARE CONDITION_SHARE

const struct condition_metric_description condition_metrics[CONDITION_NR_METRICS] = {
#define X(NAME, name, of, units, where, example, meaning) \
	{name, CONDITION_OF_##of, units, CONDITION_##where},
#include "condition/metrics.def"
#undef X
};

static const struct ct_condition_about abouts[CONDITION_NR_METRICS] = {
#define X(NAME, name, of, units, where, example, meaning)             \
	{example, meaning, (CONDITION_##where & CONDITION_LIVE) != 0, \
		(CONDITION_##where & CONDITION_REPORT) != 0},
#include "condition/metrics.def"
#undef X
};

const struct ct_condition_about *ct_condition_about(unsigned index)
{
	return index < CONDITION_NR_METRICS ? &abouts[index] : NULL;
}

static const struct {
	const char *name;
	double share;
	unsigned units;
	unsigned where;
} statistics[CONDITION_NR_STATISTICS] = {
#define X(NAME, name, share, units, where) {name, share, units, CONDITION_##where},
#include "condition/statistics.def"
#undef X
};

/* metrics that an error's sentence names, so that it fits into a struct ct_error */
#define NAMED_AT_MOST 9u
/* The largest limits: a printed number, even if rounded up, can be parsed again. */
#define LONGEST_NS INT64_C(4000000000000000000)
#define MOST 1e18
#define LARGEST_SHARE 1e6
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct reader {
	const char *text; /* the whole text, for sentences */
	const char *at;
	enum condition_where where;
	struct condition *condition;
	struct ct_error *reterr;
};

static void skip_spaces(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at))
		reader->at++;
}

/* Takes a word at the beginning of the text, unless a longer word stands there. */
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
	return ct_fail_at(reader->reterr, CT_ERR_USAGE, (uint64_t)(reader->at - reader->text),
		"condition '%s': at '%s': %s", reader->text, reader->at, wanted);
}

/* Takes the sentence, and frees it. */
static enum ct_status complain_with(struct reader *reader, struct text *wanted)
{
	enum ct_status status = complain(reader, text_peek(wanted));

	text_fini(wanted);
	return status;
}

static bool is_meant(const struct reader *reader, enum condition_metric metric)
{
	return condition_metrics[metric].where & reader->where;
}

static enum ct_status complain_of_metric(struct reader *reader)
{
	struct text wanted = {0};
	size_t i, nr_meant = 0;

	text_add(&wanted, "it begins with one of ");
	for (i = 0; i < CONDITION_NR_METRICS; i++) {
		if (!is_meant(reader, (enum condition_metric)i))
			continue;
		if (nr_meant++ < NAMED_AT_MOST)
			text_format(&wanted, "%s%s", nr_meant > 1 ? ", " : "",
				condition_metrics[i].name);
	}
	if (nr_meant > NAMED_AT_MOST)
		text_format(&wanted, " and %zu others", nr_meant - NAMED_AT_MOST);
	return complain_with(reader, &wanted);
}

static enum ct_status complain_of_statistic(struct reader *reader)
{
	const char *comma = "";
	struct text wanted = {0};
	size_t i;

	text_add(&wanted, "this statistic is not known; there are ");
	for (i = 0; i < CONDITION_NR_STATISTICS; i++) {
		if (!(statistics[i].where & reader->where))
			continue;
		text_format(&wanted, "%s%s", comma, statistics[i].name);
		comma = ", ";
	}
	return complain_with(reader, &wanted);
}

static enum ct_status read_metric(struct reader *reader)
{
	size_t i;

	skip_spaces(reader);
	for (i = 0; i < CONDITION_NR_METRICS; i++) {
		if (!is_meant(reader, (enum condition_metric)i) ||
			!take(reader, condition_metrics[i].name))
			continue;
		reader->condition->metric = (enum condition_metric)i;
		return CT_OK;
	}
	return complain_of_metric(reader);
}

static const struct condition_metric_description *asked(const struct reader *reader)
{
	return &condition_metrics[reader->condition->metric];
}

/* The units of the number that the metric is compared with. */
static unsigned units_of(const struct reader *reader)
{
	unsigned units = asked(reader)->units;

	if (*reader->condition->statistic)
		return statistics[reader->condition->asked].units;
	/* For a running program, a metric with two units has no count. */
	return reader->where == CONDITION_LIVE && units != COUNT ? units & ~(unsigned)COUNT : units;
}

static bool is_rule(const char *pattern)
{
	unsigned i;

	for (i = CT_RULE_NONE + 1; i < CT_NR_RULES; i++)
		if (fnmatch(pattern, ct_rule_name((enum ct_rule)i), 0) == 0)
			return true;
	return false;
}

static bool is_named(const struct reader *reader)
{
	return asked(reader)->of == CONDITION_OF_NAMED_VALUE ||
	       asked(reader)->of == CONDITION_OF_NAMED_SPREAD;
}

static enum ct_status read_name(struct reader *reader)
{
	const char *end;
	size_t length;

	if (!is_named(reader))
		return CT_OK;
	if (!take(reader, "("))
		return complain(reader, "a name in brackets is missing, as in region(db.query)");
	end = strrchr(reader->at, ')');
	length = end ? (size_t)(end - reader->at) : 0;
	if (length == 0 || length >= CONDITION_NAME_BYTES)
		return complain(reader, "a name and ')' are missing");
	memcpy(reader->condition->name, reader->at, length);
	if ((asked(reader)->units & GRADE) && !is_rule(reader->condition->name))
		return complain(
			reader, "no rule has this name; reports name those that they looked for");
	reader->at = end + 1;
	return CT_OK;
}

bool condition_is_spread(const struct condition *condition)
{
	enum condition_of of = condition_metrics[condition->metric].of;

	return of == CONDITION_OF_SPREAD || of == CONDITION_OF_NAMED_SPREAD;
}

static enum ct_status read_statistic(struct reader *reader)
{
	const char *before;
	size_t i;

	if (!condition_is_spread(reader->condition))
		return CT_OK;
	if (!take(reader, "."))
		return complain(reader, "a statistic is missing, as in .p99 or .max");
	/* "p99" is the beginning of "p99.9": the longest that fits is meant. */
	for (before = reader->at, i = CONDITION_NR_STATISTICS; i-- > 0;) {
		reader->at = before;
		if (!(statistics[i].where & reader->where) || !take(reader, statistics[i].name) ||
			*reader->at == '.')
			continue;
		reader->condition->asked = (enum condition_statistic)i;
		reader->condition->share = statistics[i].share;
		reader->condition->statistic = statistics[i].name;
		return CT_OK;
	}
	reader->at = before;
	return complain_of_statistic(reader);
}

static enum ct_status read_comparison(struct reader *reader)
{
	static const char *const comparisons[] = {">=", "<=", "==", "!=", ">", "<"};
	size_t i;

	for (i = 0; i < COUNT_OF(comparisons); i++) {
		if (take(reader, comparisons[i])) {
			memcpy(reader->condition->comparison, comparisons[i],
				strlen(comparisons[i]) + 1);
			return CT_OK;
		}
	}
	return complain(reader, "a comparison is missing: <, <=, >, >=, == or !=");
}

/* Reads ">= likely" before another comparison: the grade from which findings count. */
static enum ct_status read_least(struct reader *reader)
{
	const char *before = reader->at;
	unsigned grade;

	if (!(asked(reader)->units & COUNT) || !(asked(reader)->units & GRADE) ||
		!take(reader, ">="))
		return CT_OK;
	for (grade = CT_GRADE_SUSPECT; grade <= CT_GRADE_PROVEN; grade++) {
		if (!take(reader, ct_grade_name((enum ct_grade)grade)))
			continue;
		skip_spaces(reader);
		if (*reader->at && reader->where == CONDITION_REPORT) {
			reader->condition->least = (enum ct_grade)grade;
			return CT_OK;
		}
	}
	reader->at = before;
	return CT_OK;
}

/* Takes the rest, without blanks between a number and its unit, and at the end. */
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
	if (end == word)
		return false;
	if (*end == 'k' || *end == 'M')
		*ret_count *= *end++ == 'k' ? 1e3 : 1e6;
	return !*end && *ret_count >= 0 && *ret_count <= MOST;
}

static bool read_time(const char *word, double *ret_ns)
{
	int64_t ns;

	if (!duration_read(word, &ns) || ns > LONGEST_NS)
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

static bool read_share(const char *word, double *ret_share)
{
	char *end;

	*ret_share = strtod(word, &end) / 100;
	return end != word && strcmp(end, "%") == 0 && *ret_share >= 0 &&
	       *ret_share <= LARGEST_SHARE;
}

static const struct {
	enum condition_unit unit;
	bool (*read)(const char *word, double *ret_limit);
	const char *wanted;
} units[] = {
	{CONDITION_TIME, read_time, "a time is a number with " DURATION_UNITS " behind it"},
	{CONDITION_COUNT, read_count, "a count is a number, with k or M behind it or nothing"},
	{CONDITION_GRADE, read_grade, "a grade is suspect, likely or proven"},
	{CONDITION_SHARE, read_share, "a share is a number with % behind it"},
};

static enum ct_status complain_of_limit(struct reader *reader, unsigned wanted_units)
{
	struct text wanted = {0};
	const char *comma = "";
	size_t i;

	for (i = 0; i < COUNT_OF(units); i++) {
		if (!(units[i].unit & wanted_units))
			continue;
		text_format(&wanted, "%s%s", comma, units[i].wanted);
		comma = "; ";
	}
	return complain_with(reader, &wanted);
}

static enum ct_status read_limit(struct reader *reader)
{
	unsigned wanted = reader->condition->least ? COUNT : units_of(reader);
	char word[64];
	size_t i;

	if (!take_rest(reader, word, sizeof(word)))
		return complain_of_limit(reader, wanted);
	for (i = 0; i < COUNT_OF(units); i++) {
		if (!(units[i].unit & wanted) || !units[i].read(word, &reader->condition->limit))
			continue;
		reader->condition->unit = units[i].unit;
		return CT_OK;
	}
	return complain_of_limit(reader, wanted);
}

/* An assertion of at least a grade would hold only if something is wrong: its count was forgotten. */
static enum ct_status refuse_without_count(struct reader *reader, const char *comparison)
{
	const struct condition *condition = reader->condition;
	struct text wanted = {0};
	unsigned grade;

	if (reader->where != CONDITION_REPORT || condition->unit != CONDITION_GRADE ||
		condition->comparison[0] != '>')
		return CT_OK;
	grade = (unsigned)condition->limit;
	if (condition->comparison[1] != '=' && grade < CT_GRADE_PROVEN)
		grade++;
	reader->at = comparison;
	text_add(&wanted, "this would hold only where something was found; did you mean '");
	condition_tell_asked(condition, &wanted);
	text_format(&wanted, " >= %s == 0'?", ct_grade_name((enum ct_grade)grade));
	return complain_with(reader, &wanted);
}

enum ct_status condition_parse(const char *text, enum condition_where where,
	struct condition *ret_condition, struct ct_error *reterr)
{
	struct reader reader = {text, text, where, ret_condition, reterr};
	const char *comparison;
	enum ct_status status;

	*ret_condition = (struct condition){.statistic = ""};
	status = read_metric(&reader);
	if (status == CT_OK)
		status = read_name(&reader);
	if (status == CT_OK)
		status = read_statistic(&reader);
	if (status == CT_OK)
		status = read_least(&reader);
	skip_spaces(&reader);
	comparison = reader.at;
	if (status == CT_OK)
		status = read_comparison(&reader);
	if (status == CT_OK)
		status = read_limit(&reader);
	return status ? status : refuse_without_count(&reader, comparison);
}

bool condition_holds(const struct condition *condition, double value)
{
	bool is_equal_enough = condition->comparison[1] == '=';

	switch (condition->comparison[0]) {
	case '=':
		return value == condition->limit;
	case '!':
		return value != condition->limit;
	case '>':
		return is_equal_enough ? value >= condition->limit : value > condition->limit;
	default:
		return is_equal_enough ? value <= condition->limit : value < condition->limit;
	}
}

bool condition_is_near(const struct condition *condition, double value)
{
	double margin = condition->limit / 10;

	switch (condition->comparison[0]) {
	case '>':
		return value > condition->limit - margin;
	case '<':
		return value < condition->limit + margin;
	default:
		return condition_holds(condition, value);
	}
}

void condition_tell_value(const struct condition *condition, double value, struct text *text)
{
	switch (condition->unit) {
	case CONDITION_TIME:
		text_duration(text, (int64_t)value);
		break;
	case CONDITION_COUNT:
		text_format(text, "%.15g", value);
		break;
	case CONDITION_GRADE:
		text_add(text, ct_grade_name((enum ct_grade)value));
		break;
	case CONDITION_SHARE:
		text_format(text, "%.3g%%", value * 100);
		break;
	}
}

void condition_tell_asked(const struct condition *condition, struct text *text)
{
	text_add(text, condition_metrics[condition->metric].name);
	if (*condition->name)
		text_format(text, "(%s)", condition->name);
	if (*condition->statistic)
		text_format(text, ".%s", condition->statistic);
	if (condition->least)
		text_format(text, " >= %s", ct_grade_name(condition->least));
}

static const char *words_comparison(const struct condition *condition)
{
	if (condition->unit == CONDITION_GRADE)
		return "asked for was";
	switch (condition->comparison[0]) {
	case '>':
		return "over the limit of";
	case '<':
		return "below the limit of";
	default:
		return condition->comparison[0] == '=' ? "as is" : "not";
	}
}

void condition_tell(const struct condition *condition, double value, struct text *text)
{
	condition_tell_asked(condition, text);
	text_add(text, " is ");
	condition_tell_value(condition, value, text);
	text_format(text, ", %s ", words_comparison(condition));
	if (condition->unit == CONDITION_GRADE)
		text_format(text, "%s ", condition->comparison);
	condition_tell_value(condition, condition->limit, text);
}
