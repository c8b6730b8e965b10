/* SPDX-License-Identifier: MIT */
/*
 * The shell of `corotracer query`.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "shell.h"

#define PROMPT "corotracer> "
#define PROMPT_GOING_ON "       ...> "

static struct ct_query *_Atomic asked; /* NULL: no statement is running */
static atomic_bool was_interrupted;

/*
 * While a statement runs, the first interrupt ends the statement; if that does not help, the second ends the program.
 * At a prompt, an interrupt ends reading the line.
 */
static void on_interrupt(int number)
{
	struct ct_query *query = atomic_load(&asked);
	bool is_second = atomic_exchange(&was_interrupted, true);

	if (!query)
		return;
	if (is_second) {
		signal(number, SIG_DFL);
		raise(number);
	}
	ct_query_interrupt(query);
}

/* An interrupt makes reading from a terminal fail, but not writing a result. */
static void catch_interrupts(int flags)
{
	const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = flags};

	sigaction(SIGINT, &action, NULL);
}

static void perform(struct asking *asking, const char *text)
{
	atomic_store(&was_interrupted, false);
	atomic_store(&asked, asking->query);
	(void)asking_perform(asking, text);
	atomic_store(&asked, NULL);
	fflush(stdout);
}

static bool is_whole(const char *text)
{
	return asking_is_directive(text) || ct_query_is_complete(text);
}

static bool is_empty(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

/* NULL: the input has ended, or was_interrupted is set. */
static char *read_line(const char *prompt)
{
	char *line;

	atomic_store(&was_interrupted, false);
	catch_interrupts(0);
	line = lines_read(prompt);
	catch_interrupts(SA_RESTART);
	return line;
}

/* The text typed so far, with one more line; NULL: out of memory, and the text is lost. */
static char *append(char *text, char *line)
{
	char *longer = NULL;

	if (!text)
		return line;
	if (asprintf(&longer, "%s\n%s", text, line) < 0)
		longer = NULL;
	free(text);
	free(line);
	return longer;
}

static void read_and_ask(struct asking *asking)
{
	char *text = NULL, *line;

	while (!asking->is_over) {
		line = read_line(text ? PROMPT_GOING_ON : PROMPT);
		if (!line && !atomic_load(&was_interrupted))
			break;
		if (line)
			text = append(text, line);
		if (text && (!line || is_empty(text))) {
			free(text);
			text = NULL;
		}
		if (!text || !is_whole(text))
			continue;
		lines_keep(text);
		perform(asking, text);
		free(text);
		text = NULL;
	}
	/* The last statement needs no ';'. */
	if (text)
		perform(asking, text);
	free(text);
}

int shell_run(struct asking *asking)
{
	struct sigaction before;

	sigaction(SIGINT, NULL, &before);
	catch_interrupts(SA_RESTART);
	lines_begin();
	puts("SQL ends with ';'. '.help' says more, '.cookbook' has questions to begin with.");
	read_and_ask(asking);
	lines_end();
	sigaction(SIGINT, &before, NULL);
	return flush_output();
}
