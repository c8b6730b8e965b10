/* SPDX-License-Identifier: MIT */
/*
 * The meanings of exit statuses: the library's list, grouped by number, and the statuses of some commands.
 */
#include <stdio.h>
#include <string.h>

#include "corotracer/ct.h"
#include "exits.h"

#define MAX_EXITS 20

static const struct {
	int value;
	const char *meaning;
} failures[] = {
#define X(name, value, exit_code, text, meaning) {exit_code, meaning},
#include "corotracer/def/status.def"
#undef X
};

#define BIT(command) (1u << (command))
#define ALL UINT32_MAX
#define RUN (BIT(COMMAND_RUN) | BIT(COMMAND_OLDER))
#define STARTING (RUN | BIT(COMMAND_CHECK) | BIT(COMMAND_OVERHEAD))
#define BREAKABLE (RUN | BIT(COMMAND_OVERHEAD))

_Static_assert(NR_COMMANDS <= 32, "a bit for each command");

static const struct exit_description of_some[] = {
	{"1", BIT(COMMAND_CHECK), "of check: an assertion does not hold"},
	{"1", BIT(COMMAND_DIFF), "of diff: a change is reported that --fail-on names"},
	{"1", BIT(COMMAND_INTEGRATION),
		"of integration: what the program records is contradictory"},
	{"1", BIT(COMMAND_VERIFY), "of verify: a finding was lowered, since a claim does not hold"},
	{"0-255", RUN, "of run: the program's own exit status, once it was started"},
	{"126", STARTING, "of run, check and overhead: COMMAND exists, and cannot be executed"},
	{"127", STARTING, "of run, check and overhead: COMMAND was not found"},
	{"128+N", BREAKABLE,
		"of run: the program was ended by signal N; of overhead: signal N broke it off"},
};

/* Several failures share a number: their meanings are joined to one sentence. */
static void add_failures(struct exit_description *exit, int value)
{
	size_t i, used = 0;

	exit->of = value == ct_status_exit_code(CT_ERR_STOPPED) ? BIT(COMMAND_QUERY) : ALL;
	snprintf(exit->code, sizeof(exit->code), "%d", value);
	for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		if (failures[i].value != value)
			continue;
		used += (size_t)snprintf(exit->meaning + used, sizeof(exit->meaning) - used, "%s%s",
			used ? "; or " : "", failures[i].meaning);
		if (used >= sizeof(exit->meaning))
			return;
	}
}

size_t exits_list(const struct exit_description **ret_exits)
{
	static struct exit_description exits[MAX_EXITS];
	size_t nr_exits = 0, i;
	int value;

	*ret_exits = exits;
	memset(exits, 0, sizeof(exits));
	exits[nr_exits].of = ALL;
	snprintf(exits[nr_exits].code, sizeof(exits[0].code), "0");
	snprintf(exits[nr_exits++].meaning, sizeof(exits[0].meaning), "success");
	exits[nr_exits++] = of_some[0];
	exits[nr_exits++] = of_some[1];
	exits[nr_exits++] = of_some[2];
	for (value = 2; value <= ct_status_exit_code(CT_ERR_STOPPED); value++)
		add_failures(&exits[nr_exits++], value);
	for (i = 3; i < sizeof(of_some) / sizeof(of_some[0]); i++)
		exits[nr_exits++] = of_some[i];
	return nr_exits;
}

bool exits_may_be(const struct exit_description *exit, enum command command)
{
	return command == COMMAND_NONE || (exit->of & BIT(command));
}
