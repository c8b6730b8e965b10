/* SPDX-License-Identifier: MIT */
/*
 * Commands after dumps: started, looked after, and left alone at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "after_dump.h"
#include "exits.h"
#include "say.h"

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

static bool make_room(struct after_dump *after)
{
	struct after_dump_command *grown =
		realloc(after->running, (after->nr_running + 1) * sizeof(*grown));

	if (grown)
		after->running = grown;
	return grown != NULL;
}

void after_dump_start(struct after_dump *after, const struct ct_dump *dump)
{
	struct after_dump_command started = {.pid = -1};

	if (!after->command)
		return;
	started.dump = strdup(dump->path);
	if (started.dump && make_room(after))
		started.pid = fork();
	if (started.pid == 0)
		be_command(after->command, dump);
	if (started.pid < 0) {
		say_sentence("can not run the command after a dump: %s", strerror(errno));
		free(started.dump);
		return;
	}
	after->running[after->nr_running++] = started;
}

static void say_end(const struct after_dump_command *ended, int status)
{
	if (WIFSIGNALED(status))
		say_sentence("the command after the dump '%s' was ended by signal %d (SIG%s)",
			ended->dump, WTERMSIG(status), sigabbrev_np(WTERMSIG(status)));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		say_sentence("the command after the dump '%s' ended with status %d", ended->dump,
			WEXITSTATUS(status));
}

void after_dump_look(struct after_dump *after)
{
	size_t i = 0;

	while (i < after->nr_running) {
		int status = 0;
		pid_t pid = waitpid(after->running[i].pid, &status, WNOHANG);

		if (pid == 0 || (pid < 0 && errno == EINTR)) {
			i++;
			continue;
		}
		if (pid > 0)
			say_end(&after->running[i], status);
		free(after->running[i].dump);
		after->running[i] = after->running[--after->nr_running];
	}
}

/* A blocked SIGCHLD stays pending, so that none is missed between looking and waiting. */
static void wait_for_all(struct after_dump *after)
{
	struct timespec left = {.tv_sec = WAIT_SECONDS};
	sigset_t ended, before;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, &before);
	after_dump_look(after);
	while (after->nr_running && sigtimedwait(&ended, NULL, &left) == SIGCHLD)
		after_dump_look(after);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void after_dump_finish(struct after_dump *after)
{
	size_t i;

	wait_for_all(after);
	for (i = 0; i < after->nr_running; i++) {
		say_sentence("the command after the dump '%s' still runs, as process %ld",
			after->running[i].dump, (long)after->running[i].pid);
		free(after->running[i].dump);
	}
	free(after->running);
	*after = (struct after_dump){.command = NULL};
}
