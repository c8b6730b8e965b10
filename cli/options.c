/* SPDX-License-Identifier: MIT */
/*
 * The tables of commands and options, and the parser of an argument list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misspelt.h"
#include "options.h"

const struct command_group_description command_group_descriptions[NR_GROUPS] = {
	[GROUP_NONE] = {"", ""},
#define G(name, text, meaning) [GROUP_##name] = {text, meaning},
#include "groups.def"
#undef G
};

const struct command_description command_descriptions[NR_COMMANDS] = {
	[COMMAND_NONE] = {"", GROUP_NONE, "",
		"say which coroutines are stuck, on what, at which line, and why", "",
		"corotracer run -- ./app\trecord a program, into " DEFAULT_TRACE "\n"
		"corotracer report\tsay what is wrong in it, and why\n"},
#define C(name, text, group, operands, summary, description, examples) \
	[COMMAND_##name] = {text, GROUP_##group, operands, summary, description, examples},
#include "commands.def"
#undef C
};

/* Words and meanings of the formats of exports, each with a separator. */
static const char export_words[] =
#define FORM(NAME, folder, file, holds, word, ending, meaning) "|" word
#define OLDER(NAME, file, word, ending)
#define ALSO(NAME, word, ending)
#define ADDRESS(NAME, scheme)
#include "corotracer/def/exports.def"
	;
static const char export_older_words[] =
#define FORM(NAME, folder, file, holds, word, ending, meaning)
#define OLDER(NAME, file, word, ending) "|" word
#define ALSO(NAME, word, ending) "|" word
#define ADDRESS(NAME, scheme)
#include "corotracer/def/exports.def"
	;
static const char export_older_meanings[] =
	"write suspends and resumes for another program, or into a database, in one of the forms"
#define FORM(NAME, folder, file, holds, word, ending, meaning)
#define OLDER(NAME, file, word, ending) " " word
#define ALSO(NAME, word, ending) " " word
#define ADDRESS(NAME, scheme)
#include "corotracer/def/exports.def"
	;
static const char export_meanings[] =
	"the form; the default is what FILE's name ends with, else csv"
#define FORM(NAME, folder, file, holds, word, ending, meaning) ". " word ending ": " meaning
#define OLDER(NAME, file, word, ending)
#define ALSO(NAME, word, ending)
#define ADDRESS(NAME, scheme)
#define ENDING(ending) " (" ending ")"
#define NO_FILE ""
#include "corotracer/def/exports.def"
	;

const struct option_description option_descriptions[NR_OPTIONS] = {
	[OPTION_NONE] = {COMMAND_NONE, "", 0, "", "", ""},
#define O(command, name, text, letter, argument, values, help) \
	[OPTION_##command##_##name] = {COMMAND_##command, text, letter, argument, values, help},
#include "options.def"
#undef O
};

enum command command_next(enum command command)
{
	do {
		command = command + 1 < NR_COMMANDS ? command + 1 : COMMAND_NONE;
	} while (command == COMMAND_OLDER);
	return command;
}

enum command command_next_of(enum command_group group, enum command command)
{
	do {
		command = command_next(command);
	} while (command && command_descriptions[command].group != group);
	return command;
}

enum command command_find(const char *name)
{
	enum command command = command_next(COMMAND_NONE);

	while (command && strcmp(command_descriptions[command].name, name) != 0)
		command = command_next(command);
	return command;
}

/* Some of these commands judge only if another option says so; that is checked elsewhere. */
static bool is_judge(enum command command)
{
	switch (command) {
	case COMMAND_RUN:
	case COMMAND_ATTACH:
	case COMMAND_REPORT:
	case COMMAND_CHECK:
	case COMMAND_DIFF:
	case COMMAND_SERVE:
	case COMMAND_TOP:
	case COMMAND_VERIFY:
	case COMMAND_WHY:
	case COMMAND_STATS:
	case COMMAND_EXPORT:
	case COMMAND_QUERY:
	case COMMAND_METRICS:
	case COMMAND_OLDER:
		return true;
	default:
		return false;
	}
}

bool command_has(enum command command, enum option option)
{
	enum command owner = option_descriptions[option].command;

	if (owner == COMMAND_RECORD)
		return command == COMMAND_RUN || command == COMMAND_ATTACH;
	if (owner == COMMAND_JUDGE)
		return is_judge(command);
	if (owner == COMMAND_SERVING)
		return command == COMMAND_RUN || command == COMMAND_ATTACH ||
		       command == COMMAND_SERVE;
	if (owner == COMMAND_SHOWING)
		return command == COMMAND_REPORT || command == COMMAND_WHY ||
		       command == COMMAND_STATS || command == COMMAND_QUERY;
	return option != OPTION_NONE && (owner == command || owner == COMMAND_EVERY);
}

enum option option_next(enum command command, enum option option)
{
	do {
		option = option + 1 < NR_OPTIONS ? option + 1 : OPTION_NONE;
	} while (option && !command_has(command, option));
	return option;
}

/* "FILE" or "[FILE|PID]", and no second operand. */
bool command_reads_one(enum command command)
{
	const char *operands = command_descriptions[command].operands;

	operands += *operands == '[';
	return strncmp(operands, "FILE", strlen("FILE")) == 0 && !strchr(operands, ' ');
}

bool command_needs_probe(enum command command)
{
	return command == COMMAND_RUN || command == COMMAND_ATTACH;
}

const char attaching_rule[] = "What attaches the probe, in each language:";
const char default_trace_rule[] = "Without FILE, " DEFAULT_TRACE " is read.";

bool command_has_default(enum command command)
{
	return command_reads_one(command) && *command_descriptions[command].operands == '[';
}

static enum option find_by_name(enum command command, const char *name, size_t nr_bytes)
{
	enum option option = option_next(command, OPTION_NONE);

	while (option && (strlen(option_descriptions[option].name) != nr_bytes ||
				 memcmp(option_descriptions[option].name, name, nr_bytes) != 0))
		option = option_next(command, option);
	return option;
}

static enum option find_by_letter(enum command command, char letter)
{
	enum option option = option_next(command, OPTION_NONE);

	while (option && option_descriptions[option].letter != letter)
		option = option_next(command, option);
	return option;
}

/* The option of which this one is another spelling. */
static enum option meant_by(enum option option)
{
	while (option > OPTION_NONE + 1 && !*option_descriptions[option].help)
		option--;
	return option;
}

/* The parser's position. */
struct reader {
	struct arguments *arguments;
	int argc;
	char **argv;
	int at;             /* the word that is being parsed */
	const char *dashes; /* the dashes before options of this command */
	char *complaint;
};

static void keep(struct arguments *arguments, enum option option, const char *value)
{
	arguments->value[option] = value;
	arguments->given[arguments->nr_given++] = (struct given){option, value};
}

/* Stores the meaning of the value. */
static bool understand(
	struct reader *reader, const struct option_description *described, const char *value)
{
	enum option option = meant_by((enum option)(described - option_descriptions));

	keep(reader->arguments, option, value);
	if (value_read(described->values, value, described->command == COMMAND_OLDER,
		    &reader->arguments->meaning[option]))
		return true;
	snprintf(reader->complaint, COMPLAINT_BYTES, "option '%s%s' takes %s%s, not '%s'",
		reader->dashes, described->name, strchr(described->values, '|') ? "one of " : "",
		value_takes(described->values), value);
	return false;
}

/* "-deepdive=true": the older spelling's switches may have a value. */
static bool read_switch(const char *value, bool *ret_is_on)
{
	uint64_t place;

	if (!value_is_word("0|f|false|1|t|true", value, true, &place))
		return false;
	*ret_is_on = place >= 3;
	return true;
}

/* A switch, with the text behind its '=' (NULL: none). */
static bool accept_switch(struct reader *reader, enum option option, const char *attached)
{
	const struct option_description *described = &option_descriptions[option];
	bool is_older = described->command == COMMAND_OLDER, is_on = true;

	if (attached && !(is_older && read_switch(attached, &is_on))) {
		snprintf(reader->complaint, COMPLAINT_BYTES, "option '%s%s' %s", reader->dashes,
			described->name, is_older ? "is true or false" : "takes no value");
		return false;
	}
	if (is_on)
		keep(reader->arguments, meant_by(option), "");
	else
		reader->arguments->value[meant_by(option)] = NULL;
	return true;
}

/* Stores an option with the value attached to it (NULL: none), or with the next word. */
static bool accept(struct reader *reader, enum option option, const char *attached)
{
	const struct option_description *described = &option_descriptions[option];

	if (!*described->argument)
		return accept_switch(reader, option, attached);
	if (!attached && reader->at + 1 >= reader->argc) {
		snprintf(reader->complaint, COMPLAINT_BYTES, "option '%s%s' needs a value: %s",
			reader->dashes, described->name, described->argument);
		return false;
	}
	if (!attached)
		attached = reader->argv[++reader->at];
	return understand(reader, described, attached);
}

/* Is this an option of all commands that judge, while the command does not judge? */
static bool is_for_judges(enum command command, const char *name)
{
	enum option option = find_by_name(COMMAND_REPORT, name, strcspn(name, "="));

	return !is_judge(command) && option_descriptions[option].command == COMMAND_JUDGE;
}

static bool refuse_option(struct reader *reader, const char *word)
{
	enum command command = reader->arguments->command;
	const char *nearest = nearest_option(command, word);

	if (is_for_judges(command, word + strspn(word, "-")))
		snprintf(reader->complaint, COMPLAINT_BYTES,
			"'%s' judges nothing, and takes no option '%s'",
			command_descriptions[command].name, word);
	else if (nearest)
		snprintf(reader->complaint, COMPLAINT_BYTES,
			"unknown option '%s'; did you mean '%s%s'?", word, reader->dashes, nearest);
	else
		snprintf(reader->complaint, COMPLAINT_BYTES, "unknown option '%s'", word);
	return false;
}

/* "--name", "--name=value". */
static bool read_long(struct reader *reader, const char *word, const char *name)
{
	size_t length = strcspn(name, "=");
	enum option option = find_by_name(reader->arguments->command, name, length);

	if (option == OPTION_NONE)
		return refuse_option(reader, word);
	return accept(reader, option, name[length] ? name + length + 1 : NULL);
}

/* "-o", "-oVALUE", and several switches in one word. */
static bool read_letters(struct reader *reader, const char *word)
{
	const char *at;

	for (at = word + 1; *at; at++) {
		enum option option = find_by_letter(reader->arguments->command, *at);

		if (option == OPTION_NONE)
			return refuse_option(reader, word);
		if (*option_descriptions[option].argument)
			return accept(reader, option, at[1] ? at + 1 : NULL);
		if (!accept(reader, option, NULL))
			return false;
	}
	return true;
}

static bool read_option(struct reader *reader, const char *word)
{
	if (word[1] == '-')
		return read_long(reader, word, word + 2);
	if (reader->arguments->command == COMMAND_OLDER && strcmp(word, "-h") != 0)
		return read_long(reader, word, word + 1);
	return read_letters(reader, word);
}

static void add_operand(struct arguments *arguments, char *word)
{
	arguments->operands[arguments->nr_operands++] = word;
}

static bool read_words(struct reader *reader)
{
	struct arguments *arguments = reader->arguments;
	bool is_behind_options = false;

	for (reader->at = 0; reader->at < reader->argc; reader->at++) {
		char *word = reader->argv[reader->at];

		if (is_behind_options || word[0] != '-' || word[1] == '\0') {
			add_operand(arguments, word);
			is_behind_options |= arguments->command == COMMAND_RUN ||
					     arguments->command == COMMAND_OVERHEAD;
		} else if (strcmp(word, "--") == 0) {
			is_behind_options = true;
			arguments->nr_before_dashes = arguments->nr_operands;
		} else if (!read_option(reader, word)) {
			return false;
		}
	}
	return true;
}

static size_t letters_of(int argc, char **argv)
{
	size_t count = 0;
	int i;

	for (i = 0; i < argc; i++)
		count += strlen(argv[i]);
	return count;
}

bool arguments_read(struct arguments *arguments, enum command command, int argc, char **argv,
	char complaint[COMPLAINT_BYTES])
{
	struct reader reader = {
		.arguments = arguments,
		.argc = argc,
		.argv = argv,
		.dashes = command == COMMAND_OLDER ? "-" : "--",
		.complaint = complaint,
	};

	*arguments = (struct arguments){.command = command, .nr_before_dashes = -1};
	/* With room for DEFAULT_TRACE and the terminator. */
	arguments->operands = calloc((size_t)argc + 2, sizeof(*arguments->operands));
	/* A word can contain several switches, at most one for each letter. */
	arguments->given = calloc(letters_of(argc, argv) + 1, sizeof(*arguments->given));
	if (!arguments->operands || !arguments->given) {
		snprintf(complaint, COMPLAINT_BYTES, "out of memory");
		return false;
	}
	return read_words(&reader);
}

void arguments_fini(struct arguments *arguments)
{
	free(arguments->operands);
	free(arguments->given);
	arguments->operands = NULL;
	arguments->given = NULL;
}

/* A recording gets its name only when it ends; until then ".partial" is appended to the name. */
bool arguments_take_default(struct arguments *arguments)
{
	static char trace[] = DEFAULT_TRACE;

	if (access(trace, F_OK) && access(DEFAULT_TRACE ".partial", F_OK))
		return false;
	memmove(arguments->operands + 1, arguments->operands,
		(size_t)arguments->nr_operands++ * sizeof(*arguments->operands));
	arguments->operands[0] = trace;
	return true;
}

/* The array and its words are one allocation. */
const char **arguments_list(const struct arguments *arguments, enum option option)
{
	const char *text = arguments->value[option];
	size_t count = 1, i;
	const char *at, **list;
	char *words;

	if (!text)
		return NULL;
	for (at = text; *at; at++)
		count += *at == ',';
	list = malloc((count + 1) * sizeof(*list) + strlen(text) + 1);
	if (!list)
		return NULL;
	words = memcpy(list + count + 1, text, strlen(text) + 1);
	for (i = 0; i < count; i++)
		list[i] = strsep(&words, ",");
	list[count] = NULL;
	return list;
}

const char **arguments_all(const struct arguments *arguments, enum option option)
{
	const char **values = calloc((size_t)arguments->nr_given + 1, sizeof(*values));
	int i, count = 0;

	for (i = 0; values && i < arguments->nr_given; i++)
		if (arguments->given[i].option == option)
			values[count++] = arguments->given[i].value;
	return values;
}

const char *arguments_value(
	const struct arguments *arguments, enum option option, const char *otherwise)
{
	return arguments->value[option] ? arguments->value[option] : otherwise;
}

uint32_t arguments_count(const struct arguments *arguments, enum option option)
{
	uint64_t number = arguments->meaning[option].number;

	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}
