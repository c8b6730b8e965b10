/* SPDX-License-Identifier: MIT */
/*
 * Starting and watching the child. Between fork and exec only async-signal-safe functions run: the
 * library's caller may have threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "corotracer/ctp.h"
#include "kernel/family.h"
#include "collect/target.h"

extern char **environ;

#define PRELOAD "LD_PRELOAD"
#define LIBRARY_PATH "LD_LIBRARY_PATH"

/* Returns whether the setting is for `name`. */
static bool is_setting(const char *setting, const char *name)
{
	size_t length = strlen(name);

	return strncmp(setting, name, length) == 0 && setting[length] == '=';
}

/* A list with this entry in front of what it holds already. */
static char *format_list(const char *name, const char *entry, size_t nr_bytes)
{
	const char *before = getenv(name);
	bool has_before = before && before[0];
	char *setting;

	if (asprintf(&setting, "%s=%.*s%s%s", name, (int)nr_bytes, entry, has_before ? ":" : "",
		    has_before ? before : "") < 0)
		return NULL;
	return setting;
}

/* The variables through which probes find the engine. Those of an outer engine are not for this child. */
static const char *const ways[] = {CTP_ENVIRONMENT, "CTP_SHM_PATH", "CTP_SOCK_PATH",
	"CTP_MAX_STATIONS", CTP_CLOCK_ENVIRONMENT};

#define NR_OWN 7 /* the variables above, and the two that preload a library */

static bool is_own_way(const char *setting)
{
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (is_setting(setting, ways[i]))
			return true;
	return false;
}

static char *format_setting(const char *name, const char *value)
{
	char *setting;

	return asprintf(&setting, "%s=%s", name, value) < 0 ? NULL : setting;
}

/* A blank ends an entry of LD_PRELOAD, but none of LD_LIBRARY_PATH, where the dynamic linker looks for plain names. */
static void add_preload(const char *library, char *own[NR_OWN], size_t *ret_count)
{
	const char *slash = strrchr(library, '/');

	if (slash && strchr(library, ' ')) {
		own[(*ret_count)++] = format_list(LIBRARY_PATH, library, (size_t)(slash - library));
		library = slash + 1;
	}
	own[(*ret_count)++] = format_list(PRELOAD, library, strlen(library));
}

/* Puts the settings that are made here into own[], for the caller to free. Returns false if out of memory. */
static bool make_own(const struct target_options *options, char *own[NR_OWN], size_t *ret_count)
{
	const struct channel *version1 = options->version1;
	char number[16];
	size_t i;

	own[(*ret_count)++] = format_setting(ways[0], options->socket_name);
	if (version1) {
		snprintf(number, sizeof(number), "%u", version1->max_stations);
		own[(*ret_count)++] = format_setting(ways[1], version1->memory_path);
		own[(*ret_count)++] = format_setting(ways[2], version1->socket_path);
		own[(*ret_count)++] = format_setting(ways[3], number);
	}
	if (options->is_coarse)
		own[(*ret_count)++] = format_setting(ways[4], "coarse");
	if (options->preload)
		add_preload(options->preload, own, ret_count);
	for (i = 0; i < *ret_count; i++)
		if (!own[i])
			return false;
	return true;
}

static bool is_replaced(const char *setting, char *const own[NR_OWN], size_t nr_own)
{
	size_t i;

	for (i = 0; i < nr_own; i++)
		if (strncmp(setting, own[i], strcspn(own[i], "=") + 1) == 0)
			return true;
	return is_own_way(setting);
}

/* Builds the child's environment; the caller frees the settings in own[] and the array. */
static char **build_environment(const struct target_options *options, char *own[NR_OWN])
{
	char **environment;
	size_t nr_own = 0;
	size_t count = 0;
	size_t kept = 0;
	size_t i;

	if (!make_own(options, own, &nr_own))
		return NULL;
	while (environ[count])
		count++;
	environment = calloc(count + nr_own + 1, sizeof(*environment));
	if (!environment)
		return NULL;
	for (i = 0; i < count; i++)
		if (!is_replaced(environ[i], own, nr_own))
			environment[kept++] = environ[i];
	memcpy(environment + kept, own, nr_own * sizeof(*own));
	return environment;
}

/*
 * A handler of ours must not run in the child before exec has removed it. Signals that were ignored before the engine
 * came (nohup, a background job) stay ignored, except SIGPIPE, which programs like ours ignore for themselves, and
 * SIGCHLD.
 */
static void restore_signals(void)
{
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	struct sigaction present;
	sigset_t none;
	int number;

	for (number = 1; number < NSIG; number++)
		if (sigaction(number, NULL, &present) == 0 &&
			(present.sa_handler != SIG_IGN || number == SIGPIPE || number == SIGCHLD))
			sigaction(number, &standard, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void become_target(const struct target_options *options, char **environment, int error_pipe)
	__attribute__((noreturn));

static void become_target(const struct target_options *options, char **environment, int error_pipe)
{
	int problem;
	ssize_t ignored;

	restore_signals();
	execvpe(options->command[0], options->command, environment);
	problem = errno;
	ignored = write(error_pipe, &problem, sizeof(problem));
	(void)ignored;
	_exit(127);
}

/* Forks with all signals blocked; the child never returns. */
static pid_t fork_target(
	const struct target_options *options, char **environment, const int error_pipe[2])
{
	sigset_t all;
	sigset_t before;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		become_target(options, environment, error_pipe[1]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* Returns 0 once the child runs its own program (exec closed the pipe), or the errno that says why it cannot. */
static int wait_for_exec(int error_pipe)
{
	int problem = 0;
	ssize_t got;

	do {
		got = read(error_pipe, &problem, sizeof(problem));
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(problem) ? problem : 0;
}

static enum ct_status fail_to_start(const char *command, int problem, struct ct_error *reterr)
{
	bool is_absent = problem == ENOENT || problem == ENOTDIR;
	enum ct_status status = is_absent || problem == EACCES || problem == ENOEXEC
					? CT_ERR_NOT_FOUND
					: CT_ERR_SYSTEM;

	ct_fail(reterr, status, "starting '%s': %s", command, strerror(problem));
	if (reterr)
		reterr->system_errno = is_absent ? ENOENT : problem;
	return status;
}

static enum ct_status watch_exec(const struct target_options *options, int error_pipe,
	struct target *target, struct ct_error *reterr)
{
	int problem = wait_for_exec(error_pipe);

	if (problem) {
		while (waitpid(target->pid, NULL, 0) < 0 && errno == EINTR)
			;
		return fail_to_start(options->command[0], problem, reterr);
	}
	return CT_OK;
}

static enum ct_status start_with(const struct target_options *options, char **environment,
	struct target *target, struct ct_error *reterr)
{
	enum ct_status status;
	int error_pipe[2];

	if (pipe2(error_pipe, O_CLOEXEC))
		return ct_fail_errno(reterr, "starting '%s'", options->command[0]);
	target->pid = fork_target(options, environment, error_pipe);
	close(error_pipe[1]);
	if (target->pid < 0)
		status = ct_fail_errno(reterr, "starting '%s'", options->command[0]);
	else
		status = watch_exec(options, error_pipe[0], target, reterr);
	close(error_pipe[0]);
	return status;
}

enum ct_status collect_target_start(
	const struct target_options *options, struct target *ret_target, struct ct_error *reterr)
{
	char *own[NR_OWN] = {NULL};
	char **environment = build_environment(options, own);
	enum ct_status status;
	size_t i;

	*ret_target = (struct target){0};
	if (environment)
		status = start_with(options, environment, ret_target, reterr);
	else
		status = ct_fail_memory(reterr);
	free(environment);
	for (i = 0; i < NR_OWN; i++)
		free(own[i]);
	return status;
}

static void note_ending(struct target *target, int status)
{
	target->has_ended = true;
	target->ended_ns = clock_monotonic_ns();
	target->ending = WIFEXITED(status) ? CT_ENDING_EXITED : CT_ENDING_SIGNALED;
	target->ending_value = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

void collect_target_find(pid_t pid, struct target *ret_target)
{
	*ret_target = (struct target){.pid = pid, .is_found = true};
}

void collect_target_note_gone(struct target *target, uint64_t ended_ns)
{
	target->has_ended = true;
	target->ended_ns = ended_ns;
}

bool collect_target_reap(struct target *target)
{
	int status;
	pid_t found;

	if (target->has_ended || target->is_found)
		return target->has_ended;
	/* waitid is not used, because a filter of system calls may refuse it; no shell works without wait4. */
	found = waitpid(target->pid, &status, WNOHANG);
	if (found == target->pid)
		note_ending(target, status);
	else if (found < 0 && errno == ECHILD)
		/* Another part of this process reaped the child: it has ended, and how it ended cannot be known. */
		collect_target_note_gone(target, clock_monotonic_ns());
	return target->has_ended;
}

enum ct_status collect_target_signal(
	struct target *target, int signal_number, bool is_note_only, struct ct_error *reterr)
{
	if (signal_number <= 0 || signal_number >= NSIG)
		return ct_fail(reterr, CT_ERR_USAGE, "there is no signal %d", signal_number);
	if (target->has_ended)
		return CT_OK;
	target->forwarded |= UINT64_C(1) << (signal_number - 1);
	if (is_note_only)
		return CT_OK;
	/* The child is not reaped yet: the pid is still the child's, at worst a zombie's. */
	if (!family_signal(target->pid, signal_number))
		return ct_fail_errno(reterr, "passing signal %d on", signal_number);
	return CT_OK;
}

bool collect_target_was_forwarded(const struct target *target, enum ct_ending ending, int value)
{
	return ending == CT_ENDING_SIGNALED && value > 0 && (target->forwarded >> (value - 1) & 1);
}
