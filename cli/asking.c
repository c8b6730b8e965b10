/* SPDX-License-Identifier: MIT */
/*
 * Runs SQL and directives.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "asking.h"
#include "monotonic.h"
#include "output.h"
#include "say.h"

enum directive {
#define X(NAME, word, argument, help) DIRECTIVE_##NAME,
#include "directives.def"
#undef X
	NR_DIRECTIVES,
};

static const struct {
	const char *word;
	const char *argument;
	const char *help;
} directives[NR_DIRECTIVES] = {
#define X(NAME, word, argument, help) {word, argument, help},
#include "directives.def"
#undef X
};

#define BLANKS " \t\r\n"
#define ENDS BLANKS ";" /* these end a word */

/* ---------------------------------------------------------------- SQL */

/* Prints the line with the error, and a mark under the position; a character of several bytes counts as one column. */
static void point_into(const char *sql, uint64_t offset)
{
	const char *begin = sql + offset, *end = sql + offset + strcspn(sql + offset, "\n"), *at;
	char *line;

	while (begin > sql && begin[-1] != '\n')
		begin--;
	line = strndup(begin, (size_t)(end - begin));
	if (!line)
		return;
	fputs("  ", stderr);
	print_safe(stderr, line);
	fputs("\n  ", stderr);
	for (at = begin; at < sql + offset; at++)
		if (((unsigned char)*at & 0xc0) != 0x80)
			fputc(' ', stderr);
	fputs("^\n", stderr);
	free(line);
}

static int say_wrong(const char *sql, const struct ct_query_written *written, enum ct_status status,
	const struct ct_error *error)
{
	int exit_status = say_failure(status, error);

	if (status == CT_ERR_USAGE && error->offset != CT_NO_OFFSET &&
		written->at_fault + error->offset <= strlen(sql))
		point_into(sql, written->at_fault + error->offset);
	return exit_status;
}

/*
 * The first statement fills the view, which may take a while: progress is shown, and it happens before anything is
 * written.
 */
static enum ct_status fill(const struct asking *asking, const char *sql, struct ct_error *reterr)
{
	const char *rest;
	enum ct_status status;

	progress_begin("reading", asking->about);
	status = ct_query_ask(asking->query, sql, &rest, reterr);
	progress_end();
	return status;
}

static int ask(const struct asking *asking, const char *sql)
{
	struct ct_query_written written = {.nr_rows = 0};
	struct ct_error error;
	enum ct_status status;
	int64_t began = monotonic_ns();

	status = fill(asking, sql, &error);
	if (status < 0)
		return say_wrong(sql, &written, status, &error);
	output_guard(asking->output);
	status = ct_query_write(
		asking->query, sql, &asking->writing, asking->output, &written, &error);
	fflush(stdout);
	if (written.has_more)
		say_sentence("there are more rows than the %" PRIu64
			     " that are shown: '--all' shows all, '--rows N' so many",
			asking->writing.max_rows);
	if (asking->is_timed)
		say_sentence("%s, %s", said_count(written.nr_rows, "row", "rows").text,
			said_span(monotonic_ns() - began).text);
	return status ? say_wrong(sql, &written, status, &error) : 0;
}

/* ---------------------------------------------------------------- tables and columns */

static bool is_markdown(const struct asking *asking)
{
	return asking->writing.format == CT_QUERY_MARKDOWN;
}

static int tell_tables(const struct asking *asking)
{
	uint32_t count, i;
	const struct ct_query_table *tables = ct_query_tables(&count);

	if (is_markdown(asking))
		puts("| table | what it holds |\n|---|---|");
	for (i = 0; i < count; i++)
		printf(is_markdown(asking) ? "| `%s` | %s |\n" : "%-20s %s\n", tables[i].name,
			tables[i].meaning);
	return 0;
}

static void tell_table(const struct asking *asking, const struct ct_query_table *table)
{
	uint32_t i;

	if (is_markdown(asking))
		printf("\n### %s\n\n%s\n\n| column | type | what it holds |\n|---|---|---|\n",
			table->name, table->meaning);
	else
		printf("\n%s: %s\n", table->name, table->meaning);
	for (i = 0; i < table->nr_columns; i++)
		printf(is_markdown(asking) ? "| `%s` | %s | %s |\n" : "  %-20s %-8s %s\n",
			table->columns[i].name, table->columns[i].type, table->columns[i].meaning);
}

static void tell_functions(const struct asking *asking)
{
	uint32_t count, i;
	const struct ct_query_function *functions = ct_query_functions(&count);

	puts(is_markdown(asking) ? "\n### functions\n\n| function | what it returns |\n|---|---|"
				 : "\nfunctions");
	for (i = 0; i < count; i++)
		printf(is_markdown(asking) ? "| `%s(%s)` | %s |\n" : "  %s(%s): %s\n",
			functions[i].name, functions[i].arguments, functions[i].meaning);
}

static int tell_schema(const struct asking *asking, const char *name)
{
	uint32_t count, i, nr_told = 0;
	const struct ct_query_table *tables = ct_query_tables(&count);

	for (i = 0; i < count; i++) {
		if (*name && strcmp(name, tables[i].name) != 0)
			continue;
		tell_table(asking, &tables[i]);
		nr_told++;
	}
	if (!nr_told) {
		say_sentence("there is no table '%s'; '.tables' lists them", name);
		return ct_status_exit_code(CT_ERR_USAGE);
	}
	if (!*name)
		tell_functions(asking);
	return 0;
}

static void tell_recipe(
	const struct asking *asking, uint32_t number, const struct ct_query_recipe *recipe)
{
	const char *sql;

	if (is_markdown(asking)) {
		printf("\n%u. %s\n\n```sql\n%s;\n```\n", number, recipe->question, recipe->sql);
		return;
	}
	printf("\n%u. %s\n   ", number, recipe->question);
	for (sql = recipe->sql; *sql; sql++)
		fputs(*sql == '\n' ? "\n   " : (char[]){*sql, '\0'}, stdout);
	puts(";");
}

static int tell_cookbook(const struct asking *asking, const char *word)
{
	uint32_t count, i;
	const struct ct_query_recipe *recipes = ct_query_cookbook(&count);
	unsigned long number = strtoul(word, NULL, 10);

	if (*word && (number < 1 || number > count)) {
		say_sentence("the cookbook has questions 1 to %u", count);
		return ct_status_exit_code(CT_ERR_USAGE);
	}
	if (*word) {
		tell_recipe(asking, (uint32_t)number, &recipes[number - 1]);
		putchar('\n');
		fflush(stdout);
		return ask(asking, recipes[number - 1].sql);
	}
	for (i = 0; i < count; i++)
		tell_recipe(asking, i + 1, &recipes[i]);
	return 0;
}

static void tell_help(void)
{
	enum directive i;
	char words[40];

	puts("SQL, of one line or several, ends with ';'.");
	for (i = 0; i < NR_DIRECTIVES; i++) {
		snprintf(words, sizeof(words), "%s %s", directives[i].word, directives[i].argument);
		printf("  %-18s %s\n", words, directives[i].help);
	}
	puts("The dot may be left out where the word stands alone: help, quit.");
}

/* ---------------------------------------------------------------- directives */

/* The word may have its dot or not. */
static enum directive find_directive(const char *word, size_t length)
{
	enum directive i;
	const char *name;

	for (i = 0; i < NR_DIRECTIVES; i++) {
		name = directives[i].word + (*word != '.');
		if (strlen(name) == length && strncasecmp(name, word, length) == 0)
			break;
	}
	return i;
}

bool asking_is_directive(const char *line)
{
	const char *word = line + strspn(line, BLANKS);
	size_t length = strcspn(word, ENDS);

	if (*word == '.')
		return true;
	/* None of these words alone is valid SQL. */
	return !word[length + strspn(word + length, ENDS)] &&
	       find_directive(word, length) != NR_DIRECTIVES;
}

static int set_timer(struct asking *asking)
{
	asking->is_timed = !asking->is_timed;
	say_sentence(asking->is_timed ? "answers are timed" : "answers are not timed any longer");
	return 0;
}

static int say_no_directive(const char *word)
{
	say_sentence("there is no '%s'; '.help' lists what there is", word);
	return ct_status_exit_code(CT_ERR_USAGE);
}

static int follow(struct asking *asking, const char *word, const char *argument)
{
	switch (find_directive(word, strlen(word))) {
	case DIRECTIVE_TABLES:
		return tell_tables(asking);
	case DIRECTIVE_SCHEMA:
		return tell_schema(asking, argument);
	case DIRECTIVE_COOKBOOK:
		return tell_cookbook(asking, argument);
	case DIRECTIVE_TIMER:
		return set_timer(asking);
	case DIRECTIVE_HELP:
		tell_help();
		return 0;
	case DIRECTIVE_QUIT:
	case DIRECTIVE_EXIT:
		asking->is_over = true;
		return 0;
	default:
		return say_no_directive(word);
	}
}

static int follow_line(struct asking *asking, const char *line)
{
	char *words = strdup(line), *rest = words;
	const char *word, *argument;
	int exit_status;

	if (!words)
		return say_no_memory();
	word = strtok_r(words, ENDS, &rest);
	argument = strtok_r(NULL, ENDS, &rest);
	exit_status = follow(asking, word, argument ? argument : "");
	free(words);
	return exit_status;
}

int asking_perform(struct asking *asking, const char *text)
{
	if (!asking_is_directive(text))
		return ask(asking, text);
	if (strcmp(asking->output, "-") != 0)
		return say_usage(
			"query", "what '.help' lists goes to standard output, without '--output'");
	return follow_line(asking, text);
}

/* ---------------------------------------------------------------- completion */

/* The tables, each followed by its columns. */
static const char *table_word(uint32_t *number)
{
	uint32_t count, i;
	const struct ct_query_table *tables = ct_query_tables(&count);

	for (i = 0; i < count; i++) {
		if (*number == 0)
			return tables[i].name;
		if (--*number < tables[i].nr_columns)
			return tables[i].columns[*number].name;
		*number -= tables[i].nr_columns;
	}
	return NULL;
}

const char *asking_word(uint32_t number)
{
	uint32_t count;
	const struct ct_query_function *functions = ct_query_functions(&count);
	const char *word;

	if (number < NR_DIRECTIVES)
		return directives[number].word;
	number -= NR_DIRECTIVES;
	if (number < count)
		return functions[number].name;
	number -= count;
	word = table_word(&number);
	return word ? word : ct_query_keyword(number);
}
