/* SPDX-License-Identifier: MIT */
/* A line that is wrong is never ignored: an agent that samples something else than was asked for is worse than none. */
#include <ctype.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/failure.h"
#include "base/io.h"
#include "sampling/config.h"

#define FILE_BYTES (1u << 20)
#define SHARE_LARGEST 1e6 /* per cent */
#define MILLIONTHS_A_PERCENT 10000

enum form {
	FORM_TIME,
	FORM_SIZE,
	FORM_NUMBER,
	FORM_SHARE,
	FORM_SWITCH,
	FORM_TEXT,
};

static const struct setting {
	const char *name;
	enum form form;
	const char *value; /* the default */
	size_t offset;
} settings[] = {
#define X(member, name, form, value, text) \
	{name, FORM_##form, value, offsetof(struct config, member)},
#include "sampling/config.def"
#undef X
};
#define NR_SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* ---------------------------------------------------------------- values */

static bool read_size(const char *text, uint64_t *ret_bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double number;
	char *end;
	size_t i;

	number = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
	for (i = 0; number > 0 && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i]) != 0)
			continue;
		number *= (double)(UINT64_C(1) << (10 * i));
		*ret_bytes = (uint64_t)number;
		return number >= 1 && number < 1e18;
	}
	return false;
}

static bool read_share(const char *text, uint64_t *ret_millionths)
{
	char *end = NULL;
	double number = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;

	*ret_millionths = (uint64_t)(number * MILLIONTHS_A_PERCENT);
	return *ret_millionths > 0 && number <= SHARE_LARGEST && strcmp(end, "%") == 0;
}

static bool read_number(const char *text, uint64_t *ret_number)
{
	char *end;

	*ret_number = strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && *ret_number <= UINT32_MAX;
}

static bool read_switch(const char *text, bool *ret_value)
{
	*ret_value = strcmp(text, "yes") == 0;
	return *ret_value || strcmp(text, "no") == 0;
}

/* NULL: the value was taken; else what it should be. */
static const char *take_value(
	struct config *config, const struct setting *setting, const char *text)
{
	void *member = (char *)config + setting->offset;
	int64_t ns;

	switch (setting->form) {
	case FORM_TIME:
		if (!duration_read(text, &ns) || ns <= 0)
			return "a time with its unit, such as 5min or 2s";
		*(int64_t *)member = ns;
		return NULL;
	case FORM_SIZE:
		return read_size(text, member) ? NULL : "a size, as in 512MiB or 4GiB";
	case FORM_NUMBER:
		return read_number(text, member) ? NULL : "a whole number";
	case FORM_SHARE:
		return read_share(text, member) ? NULL : "a share, such as 2%";
	case FORM_SWITCH:
		return read_switch(text, member) ? NULL : "yes or no";
	case FORM_TEXT:
		free(*(char **)member);
		*(char **)member = strdup(text);
		return *(char **)member ? NULL : "in memory, of which there is none";
	}
	return NULL;
}

/* ---------------------------------------------------------------- rules */

static bool push(void *rules, const char *name, size_t nr_bytes, const char *pattern)
{
	VEC(struct config_rule) *list = rules;
	struct config_rule rule = {strndup(name, nr_bytes), strdup(pattern)};

	if (rule.name && rule.pattern && vec_push(list, rule))
		return true;
	free(rule.name);
	free(rule.pattern);
	return false;
}

/* "NAME: PATTERN" */
static const char *take_named(void *rules, const char *text, const char *form)
{
	size_t length = strcspn(text, ":");
	const char *pattern = text + length + (text[length] == ':');

	pattern += strspn(pattern, " \t");
	if (!length || !text[length] || !*pattern || strcspn(text, " \t/") < length)
		return form;
	return push(rules, text, length, pattern) ? NULL : "in memory, of which there is none";
}

static const char *take_rule(struct config *config, const char *name, const char *text)
{
	if (strcmp(name, "service") == 0)
		return take_named(&config->rules, text,
			"NAME: PATTERN, where the pattern is of a whole command line");
	if (strcmp(name, "address") == 0)
		return take_named(&config->addresses, text, "NAME: http://HOST:PORT");
	return push(&config->rules, "", 0, text) ? NULL : "in memory, of which there is none";
}

const char *config_service(const struct config *config, const char *command)
{
	size_t i;

	for (i = 0; i < config->rules.count; i++) {
		const struct config_rule *rule = &config->rules.at[i];

		if (fnmatch(rule->pattern, command, 0) == 0)
			return *rule->name ? rule->name : NULL;
	}
	return config->has_others ? "" : NULL;
}

/* ---------------------------------------------------------------- lines */

static const struct setting *find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_SETTINGS; i++) {
		if (strcmp(settings[i].name, name) == 0)
			return &settings[i];
	}
	return NULL;
}

static bool is_rule(const char *name)
{
	return strcmp(name, "service") == 0 || strcmp(name, "leave-out") == 0 ||
	       strcmp(name, "address") == 0;
}

/* Ends the text before its blanks at the end. */
static void trim(char *text, size_t length)
{
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	text[length] = '\0';
}

static void strip_comment(char *line)
{
	char *at = line;

	while ((at = strchr(at, '#')) && at != line && !isspace((unsigned char)at[-1]))
		at++;
	if (at)
		*at = '\0';
	trim(line, strlen(line));
}

struct reading {
	const char *path;
	unsigned number; /* of the line */
	bool was_set[NR_SETTINGS];
	struct config *config;
	struct ct_error *reterr;
};

static enum ct_status refuse(
	const struct reading *reading, const char *name, const char *why, const char *what)
{
	return ct_fail(reading->reterr, CT_ERR_USAGE, "%s:%u: %s%.40s%s%s", reading->path,
		reading->number, *name ? "'" : "", name, *name ? "' " : "", why ? why : what);
}

static enum ct_status take_setting(struct reading *reading, const char *name, const char *value)
{
	const struct setting *setting = find(name);
	const char *expected;
	char why[160];

	if (!setting && !is_rule(name))
		return refuse(reading, name, "is no setting", "");
	if (setting && reading->was_set[setting - settings])
		return refuse(reading, name, "was set before", "");
	if (setting)
		reading->was_set[setting - settings] = true;
	expected = setting ? take_value(reading->config, setting, value)
			   : take_rule(reading->config, name, value);
	snprintf(why, sizeof(why), "takes %s", expected ? expected : "");
	return expected ? refuse(reading, name, why, "") : CT_OK;
}

static enum ct_status take_line(struct reading *reading, char *line)
{
	char *equals, *value;

	line += strspn(line, " \t");
	strip_comment(line);
	if (!*line)
		return CT_OK;
	equals = strchr(line, '=');
	if (!equals)
		return refuse(reading, "", "a line is NAME = VALUE", "");
	value = equals + 1 + strspn(equals + 1, " \t");
	trim(line, (size_t)(equals - line));
	if (!*value)
		return refuse(reading, line, "has no value", "");
	return take_setting(reading, line, value);
}

static enum ct_status take_lines(struct reading *reading, char *text)
{
	enum ct_status status = CT_OK;
	char *line, *rest = text;

	while (status == CT_OK && (line = strsep(&rest, "\n"))) {
		reading->number++;
		status = take_line(reading, line);
	}
	if (status == CT_OK && reading->config->for_ns > reading->config->every_ns)
		status = ct_fail(reading->reterr, CT_ERR_USAGE,
			"%s: a window ('for') is longer than its period ('every')", reading->path);
	return status;
}

enum ct_status config_read(const char *path, struct config *ret_config, struct ct_error *reterr)
{
	struct reading reading = {.path = path, .config = ret_config, .reterr = reterr};
	enum ct_status status;
	size_t nr_bytes, i;
	char *text = NULL;

	*ret_config = (struct config){.store = NULL};
	for (i = 0; i < NR_SETTINGS; i++) {
		if (take_value(ret_config, &settings[i], settings[i].value)) {
			config_fini(ret_config);
			return ct_fail_memory(reterr);
		}
	}
	status = io_read_file(path, FILE_BYTES, &text, &nr_bytes, reterr);
	if (status)
		status = ct_context(reterr, status, "reading '%s'", path);
	else if (strlen(text) != nr_bytes)
		status = ct_fail(reterr, CT_ERR_USAGE, "%s: this is not a text", path);
	else
		status = take_lines(&reading, text);
	free(text);
	if (status)
		config_fini(ret_config);
	return status;
}

static void free_rules(struct config_rule *rules, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free(rules[i].name);
		free(rules[i].pattern);
	}
	free(rules);
}

void config_fini(struct config *config)
{
	size_t i;
	char *text;

	for (i = 0; i < NR_SETTINGS; i++) {
		if (settings[i].form != FORM_TEXT)
			continue;
		memcpy(&text, (char *)config + settings[i].offset, sizeof(text));
		free(text);
	}
	free_rules(config->rules.at, config->rules.count);
	free_rules(config->addresses.at, config->addresses.count);
	*config = (struct config){.store = NULL};
}
