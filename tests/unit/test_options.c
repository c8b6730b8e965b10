/* SPDX-License-Identifier: MIT */
/*
 * Argument lists, and how the command line parses them. Table-driven.
 */
#include <stdbool.h>

#include "check.h"
#include "misspelt.h"
#include "options.h"

#define MAX_WORDS 12

struct row {
	enum command command;
	const char *words[MAX_WORDS];
	bool is_accepted;
	const char *complaint; /* expected if the list is refused */
	enum option option;    /* expected if it is accepted: this option has this value */
	const char *value;     /* NULL: not given */
	int nr_operands;
	const char *operand; /* the first one */
};

#define ACCEPTED true, NULL
#define REFUSED(text) false, text, OPTION_NONE, NULL, 0, NULL

static const struct row rows[] = {
	{COMMAND_REPORT, {"a"}, ACCEPTED, OPTION_REPORT_FORMAT, NULL, 1, "a"},
	{COMMAND_REPORT, {"a", "--format", "md"}, ACCEPTED, OPTION_REPORT_FORMAT, "md", 1, "a"},
	{COMMAND_REPORT, {"--format=json", "a"}, ACCEPTED, OPTION_REPORT_FORMAT, "json", 1, "a"},
	{COMMAND_REPORT, {"-fmd", "a"}, ACCEPTED, OPTION_REPORT_FORMAT, "md", 1, "a"},
	{COMMAND_REPORT, {"-f", "md", "a"}, ACCEPTED, OPTION_REPORT_FORMAT, "md", 1, "a"},
	{COMMAND_REPORT, {"-bf", "md", "a"}, ACCEPTED, OPTION_REPORT_BRIEF, "", 1, "a"},
	{COMMAND_REPORT, {"-f", "md", "-f", "text", "a"}, ACCEPTED, OPTION_REPORT_FORMAT, "text", 1,
		"a"},
	{COMMAND_REPORT, {"--color", "never", "a"}, ACCEPTED, OPTION_REPORT_COLOUR, "never", 1,
		"a"},
	{COMMAND_REPORT, {"-"}, ACCEPTED, OPTION_REPORT_OUTPUT, NULL, 1, "-"},
	{COMMAND_REPORT, {"--", "-b"}, ACCEPTED, OPTION_REPORT_BRIEF, NULL, 1, "-b"},
	{COMMAND_REPORT, {"-o", "-", "a"}, ACCEPTED, OPTION_REPORT_OUTPUT, "-", 1, "a"},
	{COMMAND_REPORT, {"--output=", "a"}, ACCEPTED, OPTION_REPORT_OUTPUT, "", 1, "a"},
	{COMMAND_REPORT, {"a", "b"}, ACCEPTED, OPTION_REPORT_OUTPUT, NULL, 2, "a"},
	{COMMAND_REPORT, {"--help"}, ACCEPTED, OPTION_EVERY_HELP, "", 0, NULL},
	{COMMAND_REPORT, {"-h"}, ACCEPTED, OPTION_EVERY_HELP, "", 0, NULL},
	{COMMAND_REPORT, {"-n", "18446744073709551615", "a"}, ACCEPTED, OPTION_REPORT_MAX_MEMBERS,
		"18446744073709551615", 1, "a"},
	{COMMAND_REPORT, {"--format"}, REFUSED("option '--format' needs a value: FORMAT")},
	{COMMAND_REPORT, {"-f", "xml"},
		REFUSED("option '--format' takes one of text|md|html|json|sarif|svg|page, not "
			"'xml'")},
	{COMMAND_REPORT, {"-f", ""},
		REFUSED("option '--format' takes one of text|md|html|json|sarif|svg|page, not ''")},
	{COMMAND_REPORT, {"-f", "text|md"},
		REFUSED("option '--format' takes one of text|md|html|json|sarif|svg|page, not "
			"'text|md'")},
	{COMMAND_REPORT, {"-n", "0"},
		REFUSED("option '--max-members' takes a whole number from 1 on, not '0'")},
	{COMMAND_REPORT, {"-n", "-1"},
		REFUSED("option '--max-members' takes a whole number from 1 on, not '-1'")},
	{COMMAND_REPORT, {"-n", "12x"},
		REFUSED("option '--max-members' takes a whole number from 1 on, not '12x'")},
	{COMMAND_REPORT, {"-n", "18446744073709551616"},
		REFUSED("option '--max-members' takes a whole number from 1 on, not "
			"'18446744073709551616'")},
	{COMMAND_REPORT, {"--brief=yes"}, REFUSED("option '--brief' takes no value")},
	{COMMAND_REPORT, {"--frmat", "md"},
		REFUSED("unknown option '--frmat'; did you mean '--format'?")},
	{COMMAND_REPORT, {"--nothing-like-it"}, REFUSED("unknown option '--nothing-like-it'")},
	{COMMAND_REPORT, {"--form"}, REFUSED("unknown option '--form'; did you mean '--format'?")},
	{COMMAND_REPORT, {"-x"}, REFUSED("unknown option '-x'")},
	{COMMAND_REPORT, {"-bx"}, REFUSED("unknown option '-bx'")},
	{COMMAND_REPORT, {"--no-ledger"}, REFUSED("unknown option '--no-ledger'")},

	/* Words of the program are not parsed. */
	{COMMAND_RUN, {"--", "./app", "--format", "x"}, ACCEPTED, OPTION_RECORD_FORMAT, NULL, 3,
		"./app"},
	{COMMAND_RUN, {"./app", "--format", "x", "--"}, ACCEPTED, OPTION_RECORD_FORMAT, NULL, 4,
		"./app"},
	{COMMAND_RUN, {"-o", "t", "./app", "-o", "u"}, ACCEPTED, OPTION_RECORD_OUTPUT, "t", 3,
		"./app"},
	{COMMAND_RUN, {"--", "--", "x"}, ACCEPTED, OPTION_RECORD_OUTPUT, NULL, 2, "--"},
	{COMMAND_RUN, {"--no-ledger", "a"}, ACCEPTED, OPTION_RUN_NO_LEDGER, "", 1, "a"},
	{COMMAND_RUN, {"--format", "text", "a"},
		REFUSED("option '--format' takes one of ctrace|jsonl, not 'text'")},

	/* The older spelling has one dash, or two. */
	{COMMAND_OLDER, {"-n", "256", "-cmd", "./app", "-out", "t"}, ACCEPTED, OPTION_OLDER_OUT,
		"t", 0, NULL},
	{COMMAND_OLDER, {"--cmd=./app -x"}, ACCEPTED, OPTION_OLDER_CMD, "./app -x", 0, NULL},
	{COMMAND_OLDER, {"-deepdive", "-out", "t"}, ACCEPTED, OPTION_OLDER_DEEPDIVE, "", 0, NULL},
	{COMMAND_OLDER, {"-export", "sqlite", "-sqlite-out", "x"}, ACCEPTED, OPTION_OLDER_EXPORT,
		"sqlite", 0, NULL},
	{COMMAND_OLDER, {"-h"}, ACCEPTED, OPTION_EVERY_HELP, "", 0, NULL},
	{COMMAND_OLDER, {"-htm"}, REFUSED("unknown option '-htm'; did you mean '-html'?")},
};

static void check_row(const struct row *row)
{
	char complaint[COMPLAINT_BYTES] = "";
	char *words[MAX_WORDS + 1] = {NULL};
	struct arguments arguments;
	int nr_words = 0;
	bool is_accepted;

	while (nr_words < MAX_WORDS && row->words[nr_words]) {
		words[nr_words] = strdup(row->words[nr_words]);
		nr_words++;
	}
	is_accepted = arguments_read(&arguments, row->command, nr_words, words, complaint);
	CHECK_EQUAL(is_accepted, row->is_accepted);
	if (!row->is_accepted) {
		CHECK_TEXT(complaint, row->complaint);
	} else {
		const char *value = arguments.value[row->option];

		CHECK_TEXT(value ? value : "(not given)", row->value ? row->value : "(not given)");
		CHECK_EQUAL(arguments.nr_operands, row->nr_operands);
		if (row->operand && arguments.nr_operands)
			CHECK_TEXT(arguments.operands[0], row->operand);
		CHECK(arguments.operands[arguments.nr_operands] == NULL);
	}
	arguments_fini(&arguments);
	while (nr_words)
		free(words[--nr_words]);
}

/* Each form of a value: its meaning, or that the text is invalid. */
static void test_values(void)
{
	static const struct {
		const char *form;
		const char *text;
		bool is_read;
		struct meaning meaning;
	} values[] = {
		{"number", "12", true, {12, 0}},
		{"number", "0", false, {0, 0}},
		{"number", " 1", false, {0, 0}},
		{"level", "19", true, {19, 0}},
		{"level", "20", false, {0, 0}},
		{"share", "1/100", true, {100, 0}},
		{"share", "1/0", false, {0, 0}},
		{"share", "2/3", false, {0, 0}},
		{"range", "0", true, {0, 0}},
		{"range", "3-9", true, {3, 9}},
		{"range", "9-3", false, {0, 0}},
		{"range", "3-", false, {0, 0}},
		{"time", "1.5s", true, {1500000000, 0}},
		{"time", "0s", false, {0, 0}},
		{"time", "15", false, {0, 0}},
		{"moment", "0s", true, {0, 0}},
		{"ring-size", "1MiB", true, {1 << 20, 0}},
		{"ring-size", "1KiB", false, {0, 0}},
		{"clock", "counter", true, {0, 0}},
		{"clock", "coarse", true, {100000, 0}},
		{"clock", "coarse=1ms", true, {1000000, 0}},
		{"clock", "coarse=1ns", false, {0, 0}},
		{"clock", "fine", false, {0, 0}},
		{"window", "10s", true, {10000000000, 0}},
		{"window", "64MiB", true, {0, 64 << 20}},
		{"window", "64MiB,1min", true, {60000000000, 64 << 20}},
		{"window", "10s,", false, {0, 0}},
		{"a|b|c", "c", true, {2, 0}},
		{"a|b|c", "C", false, {0, 0}},
		{"", "anything", true, {0, 0}},
	};
	struct meaning meaning;
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		bool is_read = value_read(values[i].form, values[i].text, false, &meaning);

		CHECK_EQUAL(is_read, values[i].is_read);
		if (!is_read)
			continue;
		CHECK_EQUAL(meaning.number, values[i].meaning.number);
		CHECK_EQUAL(meaning.second, values[i].meaning.second);
	}
	CHECK(value_read("number", "0x10", true, &meaning) && meaning.number == 16);
	CHECK(value_read("a|b|c", "B", true, &meaning) && meaning.number == 1);
	CHECK_EQUAL(value_process("4711"), 4711);
	CHECK_EQUAL(value_process("-1"), 0);
	CHECK_EQUAL(value_process("4294967296"), 0);
}

static void test_commands(void)
{
	CHECK_EQUAL(command_find("report"), COMMAND_REPORT);
	CHECK_EQUAL(command_find("coroTracer"), COMMAND_NONE);
	CHECK_EQUAL(command_find(""), COMMAND_NONE);
	CHECK_TEXT(nearest_command("rum"), "run");
	CHECK_TEXT(nearest_command("reprot"), "report");
	CHECK(nearest_command("./app") == NULL);
	CHECK(nearest_command("xyz") == NULL);
	CHECK(nearest_command("") == NULL);
}

/* No option may be hidden by another spelling, or by a letter that is already used. */
static void test_list(void)
{
	unsigned a, b, command;

	for (command = COMMAND_NONE + 1; command < NR_COMMANDS; command++) {
		for (a = OPTION_NONE + 1; a < NR_OPTIONS; a++) {
			const struct option_description *one = &option_descriptions[a];

			if (!command_has((enum command)command, (enum option)a))
				continue;
			CHECK(!*one->values || value_takes(one->values));
			for (b = a + 1; b < NR_OPTIONS; b++) {
				const struct option_description *other = &option_descriptions[b];

				if (!command_has((enum command)command, (enum option)b))
					continue;
				CHECK(strcmp(one->name, other->name) != 0);
				CHECK(!one->letter || one->letter != other->letter);
			}
		}
	}
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
	test_values();
	test_commands();
	test_list();
	return check_result();
}
