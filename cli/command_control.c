/* SPDX-License-Identifier: MIT */
/*
 * corotracer control: sends orders to the recording of another corotracer.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "say.h"

#define ANSWER_BYTES 4096

#define NONE ""
#define LIST "LIST"
#define PATTERNS "PATTERNS"
#define SHARE "1/N"
const struct order_description order_descriptions[] = {
#define X(name, word, value, meaning) {word, value, meaning},
#include "corotracer/def/orders.def"
#undef X
	{NULL, NULL, NULL},
};

static int say_refusal(enum ct_status status, const struct ct_error *error)
{
	say_sentence("%s", error->text);
	return ct_status_exit_code(status);
}

/* Makes each line safe, and keeps its end. */
static void print_lines(char *answer)
{
	char *line, *rest = answer;

	while ((line = strsep(&rest, "\n")) && (*line || rest)) {
		print_safe(stdout, line);
		putchar('\n');
	}
}

int command_control(const struct arguments *arguments)
{
	char answer[ANSWER_BYTES];
	struct ct_error error;
	enum ct_status status = CT_OK;
	int64_t pid;
	int i;

	if (arguments->nr_operands < 2)
		return say_usage(
			"control", "whom, and what? for example: corotracer control 4711 status");
	pid = value_process(arguments->operands[0]);
	if (!pid)
		return say_usage(
			"control", "PID is the number of a process, as ps and pidof print it");
	for (i = 1; i < arguments->nr_operands && status == CT_OK; i++)
		status = ct_control_send(
			pid, arguments->operands[i], answer, sizeof(answer), &error);
	if (status)
		return say_refusal(status, &error);
	if (strcmp(arguments->operands[arguments->nr_operands - 1], "status") != 0)
		return 0;
	print_lines(answer);
	return flush_output();
}
