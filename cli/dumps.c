/* SPDX-License-Identifier: MIT */
/*
 * Reports dumps, starts commands after them, and reports how they ended. Commands that still run at the end are left
 * alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dumps.h"
#include "exits.h"
#include "say.h"

/* ---------------------------------------------------------------- commands after dumps */

#define WAIT_SECONDS 2

static void be_command(const char *command, const struct ct_dump *dump)
{
	int nothing = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	setenv("COROTRACER_DUMP", dump->path, 1);
	setenv("COROTRACER_REASON", dump->reason, 1);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(EXIT_NOT_FOUND);
}

static bool make_room(struct dumps *dumps)
{
	struct dump_command *grown =
		realloc(dumps->running, (dumps->nr_running + 1) * sizeof(*grown));

	if (grown)
		dumps->running = grown;
	return grown != NULL;
}

/* A failure to start is reported. */
static void start_command(struct dumps *dumps, const struct ct_dump *dump)
{
	struct dump_command started = {.pid = -1};

	if (!dumps->command)
		return;
	started.dump = strdup(dump->path);
	if (started.dump && make_room(dumps))
		started.pid = fork();
	if (started.pid == 0)
		be_command(dumps->command, dump);
	if (started.pid < 0) {
		say_sentence("cannot run the command after a dump: %s", strerror(errno));
		free(started.dump);
		return;
	}
	dumps->running[dumps->nr_running++] = started;
}

static void say_end(const struct dump_command *ended, int status)
{
	if (WIFSIGNALED(status))
		say_sentence("the command after the dump '%s' was ended by signal %d (SIG%s)",
			ended->dump, WTERMSIG(status), sigabbrev_np(WTERMSIG(status)));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		say_sentence("the command after the dump '%s' ended with status %d", ended->dump,
			WEXITSTATUS(status));
}

/* Reports the commands that have failed in the meantime. */
static void look_at_commands(struct dumps *dumps)
{
	size_t i = 0;

	while (i < dumps->nr_running) {
		int status = 0;
		pid_t pid = waitpid(dumps->running[i].pid, &status, WNOHANG);

		if (pid == 0 || (pid < 0 && errno == EINTR)) {
			i++;
			continue;
		}
		if (pid > 0)
			say_end(&dumps->running[i], status);
		free(dumps->running[i].dump);
		dumps->running[i] = dumps->running[--dumps->nr_running];
	}
}

/* SIGCHLD is blocked and stays pending, so that none is missed between looking and waiting. */
static void wait_for_all(struct dumps *dumps)
{
	struct timespec left = {.tv_sec = WAIT_SECONDS};
	sigset_t ended, before;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, &before);
	look_at_commands(dumps);
	while (dumps->nr_running && sigtimedwait(&ended, NULL, &left) == SIGCHLD)
		look_at_commands(dumps);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void finish_commands(struct dumps *dumps)
{
	size_t i;

	wait_for_all(dumps);
	for (i = 0; i < dumps->nr_running; i++) {
		say_sentence("the command after the dump '%s' still runs, as process %ld",
			dumps->running[i].dump, (long)dumps->running[i].pid);
		free(dumps->running[i].dump);
	}
	free(dumps->running);
	*dumps = (struct dumps){.command = NULL};
}

/* ---------------------------------------------------------------- dumps */

static void say_dump(const struct ct_dump *dump)
{
	if (dump->trouble) {
		say_sentence("the past could not be written (%s): %s", dump->reason, dump->trouble);
		return;
	}
	say_sentence("wrote the last %s to '%s' (%s%s): %s", said_span(dump->held_ns).text,
		dump->path, said_bytes(dump->held_bytes).text,
		dump->is_short_of_bytes ? "; more would not fit into the window" : "",
		dump->reason);
}

void dumps_say(struct dumps *dumps, struct ct_record *record)
{
	uint32_t count;
	const struct ct_dump *written = ct_record_dumps(record, &count, NULL);

	for (; dumps->nr_said < count; dumps->nr_said++) {
		say_dump(&written[dumps->nr_said]);
		if (!written[dumps->nr_said].trouble)
			start_command(dumps, &written[dumps->nr_said]);
	}
	look_at_commands(dumps);
}

void dumps_finish(struct dumps *dumps, struct ct_record *record)
{
	uint64_t nr_suppressed;
	uint32_t count;

	dumps_say(dumps, record);
	ct_record_dumps(record, &count, &nr_suppressed);
	if (nr_suppressed)
		say_sentence(
			"%s more would have come too soon after another, or beyond --max-dumps",
			said_count(nr_suppressed, "dump", "dumps").text);
	finish_commands(dumps);
}
