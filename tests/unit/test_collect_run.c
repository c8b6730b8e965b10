/* SPDX-License-Identifier: MIT */
/*
 * The collector with real targets: how they start, which events arrive, how they end.
 *
 * argv[1] is tests/targets/collect_target, argv[2] any library that can be preloaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "base/clock.h"
#include "collect/collect.h"
#include "keep_sink.h"
#include "whole_run.h"

static const char *target;

static void run_whole(struct run *run, const char *what, const char *argument)
{
	const char *command[] = {target, what, argument, NULL};

	run_open(run, command);
	CHECK_EQUAL(run->status, CT_OK);
	if (run->status == CT_OK)
		run_to_end(run);
}

/* The first definition of the process with this number, or NULL. */
static const struct ct_definition *find_process(const struct run *run, uint32_t number)
{
	const struct ct_definition *process;
	size_t i;

	for (i = 0; (process = keep_find(&run->keep, CT_DEFINE_PROCESS, i)); i++)
		if (process->process.process == number)
			return process;
	return NULL;
}

static const struct ct_definition *find_ending(const struct run *run, uint32_t number)
{
	const struct ct_definition *ending;
	size_t i;

	for (i = 0; (ending = keep_find(&run->keep, CT_DEFINE_ENDING, i)); i++)
		if (ending->ending.process == number)
			return ending;
	return NULL;
}

static void check_ending(const struct run *run, enum ct_ending ending, int value)
{
	const struct ct_definition *told = find_ending(run, 1);

	CHECK(run->stats.has_ended);
	CHECK_EQUAL(run->stats.ending, ending);
	CHECK_EQUAL(run->stats.ending_value, value);
	CHECK(told && told->ending.ending == ending && told->ending.value == value);
}

static void test_command_is_missing(void)
{
	const char *command[] = {"no-such-command-anywhere", NULL};
	struct run run;

	run_open(&run, command);
	CHECK_EQUAL(run.status, CT_ERR_NOT_FOUND);
	CHECK_EQUAL(run.trouble.system_errno, ENOENT);
	CHECK_TEXT(run.trouble.text, "starting 'no-such-command-anywhere': command not found");
	CHECK_EQUAL(run.keep.definitions.count, 0);
	keep_fini(&run.keep);
}

static void test_command_is_not_executable(void)
{
	char path[] = "/tmp/corotracer-test-XXXXXX";
	const char *command[] = {path, NULL};
	int descriptor = mkstemp(path);
	struct run run;

	run_open(&run, command);
	CHECK_EQUAL(run.status, CT_ERR_NOT_FOUND);
	CHECK_EQUAL(run.trouble.system_errno, EACCES);
	CHECK(strstr(run.trouble.text, "permission denied") != NULL);
	CHECK_EQUAL(run.keep.definitions.count, 0);
	keep_fini(&run.keep);
	close(descriptor);
	unlink(path);
}

/* Neither ELF nor a script: the shell runs it, as for execvp. */
static void test_command_without_interpreter(void)
{
	static const char text[] = "exit 7\n";
	char path[] = "/tmp/corotracer-test-XXXXXX";
	const char *command[] = {path, NULL};
	int descriptor = mkstemp(path);
	struct run run;

	CHECK_EQUAL(write(descriptor, text, sizeof(text) - 1), sizeof(text) - 1);
	fchmod(descriptor, 0700);
	close(descriptor);
	run_open(&run, command);
	CHECK_EQUAL(run.status, CT_OK);
	if (run.status == CT_OK) {
		run_to_end(&run);
		check_ending(&run, CT_ENDING_EXITED, 7);
	}
	run_close(&run);
	unlink(path);
}

static void test_never_attaches(void)
{
	struct run run;
	const struct ct_definition *process;

	run_whole(&run, "silent", "41");
	check_ending(&run, CT_ENDING_EXITED, 41);
	CHECK_EQUAL(run.stats.nr_segments, 0);
	CHECK_EQUAL(run.stats.nr_events, 0);
	CHECK(!run.stats.has_probe);
	CHECK(run.keep.definitions.at[0].type == CT_DEFINE_RUN);
	process = keep_find(&run.keep, CT_DEFINE_PROCESS, 0);
	CHECK(process && process->process.process == 1);
	CHECK(process && strstr(process->process.program, "collect_target") != NULL);
	CHECK(process && strstr(process->process.command_line, "silent 41") != NULL);
	run_close(&run);
}

/* Three suspends and the thread's start: at the end they are still in the socket's queue. */
static void test_short_life(void)
{
	struct run run;
	size_t i;

	for (i = 0; i < 200; i++) {
		run_whole(&run, "three", NULL);
		check_ending(&run, CT_ENDING_EXITED, 0);
		CHECK_EQUAL(keep_count_kind(&run.keep, CTP_KIND_SUSPEND), 3);
		CHECK_EQUAL(run.stats.nr_events, run.keep.records.count);
		CHECK_EQUAL(run.stats.nr_lost, 0);
		CHECK(run.stats.has_probe);
		run_close(&run);
	}
}

static bool has_mapping_of(const struct run *run, const char *name)
{
	const struct ct_definition *found;
	size_t i;

	for (i = 0; (found = keep_find(&run->keep, CT_DEFINE_MAPPING, i)); i++)
		if (strstr(found->mapping.path, name) && found->mapping.end > found->mapping.start)
			return true;
	return false;
}

/*
 * The process has ended before the engine accepts it, so its addresses are checked with the segment's own words about
 * its code.
 */
static void test_code_of_the_dead(void)
{
	const char *command[] = {"sh", "-c", "\"$0\" three; true", target, NULL};
	siginfo_t ended;
	struct run run;

	run_open(&run, command);
	CHECK_EQUAL(run.status, CT_OK);
	CHECK_EQUAL(waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT), 0);
	run_to_end(&run);
	CHECK(run.stats.nr_events > 0);
	CHECK_EQUAL(run.stats.nr_unmapped, 0);
	CHECK(has_mapping_of(&run, strrchr(target, '/')));
	run_close(&run);
}

static void test_ends_by_signal(void)
{
	struct run run;

	run_whole(&run, "signal", "6");
	check_ending(&run, CT_ENDING_SIGNALED, SIGABRT);
	CHECK_EQUAL(keep_count_kind(&run.keep, CTP_KIND_SUSPEND), 3);
	CHECK(!find_ending(&run, 1)->ending.was_forwarded);
	run_close(&run);
}

static void end_by_kill(struct run *run)
{
	collect_signal(run->collect, SIGKILL, false, &run->trouble);
	run_to_end(run);
	check_ending(run, CT_ENDING_SIGNALED, SIGKILL);
}

static void test_signal_is_forwarded(void)
{
	const char *command[] = {target, "wait", NULL};
	struct run run;

	run_open(&run, command);
	step_until(&run, 4);
	CHECK_EQUAL(collect_signal(run.collect, SIGTERM, false, &run.trouble), CT_OK);
	run_to_end(&run);
	check_ending(&run, CT_ENDING_SIGNALED, SIGTERM);
	CHECK(find_ending(&run, 1)->ending.was_forwarded);
	/* The engine looked at the thread before the signal. */
	CHECK(keep_count_kind(&run.keep, CTP_KIND_THREAD_STATE) >= 1);
	CHECK_EQUAL(collect_signal(run.collect, SIGTERM, false, &run.trouble), CT_OK);
	run_close(&run);
}

static void test_threads(void)
{
	struct run run;
	size_t nr_threads = 0;

	run_whole(&run, "threads", "50");
	CHECK_EQUAL(keep_count_kind(&run.keep, CTP_KIND_SUSPEND), 5000);
	CHECK_EQUAL(keep_count_kind(&run.keep, CTP_KIND_THREAD_START), 50);
	CHECK_EQUAL(keep_count_kind(&run.keep, CTP_KIND_THREAD_STOP), 50);
	while (keep_find(&run.keep, CT_DEFINE_THREAD, nr_threads))
		nr_threads++;
	/* main, and a sanitizer's own thread, write no event, but may be looked at */
	CHECK(nr_threads >= 50 && nr_threads <= 52);
	run_close(&run);
}

static uint64_t *make_counter(char *path)
{
	int descriptor = mkstemp(path);
	uint64_t *counter;

	if (descriptor < 0 || ftruncate(descriptor, sizeof(*counter)))
		abort();
	counter = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	close(descriptor);
	return counter;
}

/* Every event published before the kill is there, or counted as lost; none is there twice. */
static void check_flood(const struct run *run, uint64_t published)
{
	uint64_t last = 0;
	size_t i;

	for (i = 0; i < run->keep.records.count; i++) {
		const struct ctp_record *record = &run->keep.records.at[i].record;

		if (CTP_TAIL_KIND(record->tail) != CTP_KIND_SUSPEND)
			continue;
		CHECK(record->object > last);
		last = record->object;
	}
	/* One more event may have been published than was counted. */
	CHECK(run->stats.nr_lost > 0 || last == published || last == published + 1);
	published -= keep_count_kind(&run->keep, CTP_KIND_SUSPEND);
	CHECK(published + 1 - run->stats.nr_lost <= 1);
}

static void test_killed_at_random(void)
{
	char path[] = "/tmp/corotracer-test-XXXXXX";
	uint64_t *counter = make_counter(path);
	const char *command[] = {target, "flood", path, NULL};
	struct run run;
	unsigned seed = 1;
	size_t i;

	for (i = 0; i < 20; i++) {
		*counter = 0;
		run_open(&run, command);
		CHECK_EQUAL(run.status, CT_OK);
		step_until(&run, 1 + (size_t)rand_r(&seed) % 300000);
		kill((pid_t)run.stats.target_pid, SIGKILL);
		run_to_end(&run);
		check_ending(&run, CT_ENDING_SIGNALED, SIGKILL);
		check_flood(&run, *counter);
		run_close(&run);
	}
	munmap(counter, sizeof(*counter));
	unlink(path);
}

static void record_for_ever(const char *const *command, int ready)
{
	struct run run;

	run_open(&run, command);
	step_until(&run, 1000);
	if (write(ready, &run.stats.target_pid, sizeof(run.stats.target_pid)) < 0)
		_exit(1);
	for (;;)
		collect_step(run.collect, 100, &run.trouble);
}

/* The engine is killed: the target runs on normally. */
static void test_engine_is_killed(void)
{
	char path[] = "/tmp/corotracer-test-XXXXXX";
	uint64_t *counter = make_counter(path);
	const char *command[] = {target, "flood", path, NULL};
	int64_t target_pid = 0;
	uint64_t before;
	int ready[2];
	pid_t engine;

	if (pipe(ready))
		abort();
	engine = fork();
	if (engine == 0)
		record_for_ever(command, ready[1]);
	CHECK_EQUAL(read(ready[0], &target_pid, sizeof(target_pid)), sizeof(target_pid));
	kill(engine, SIGKILL);
	waitpid(engine, NULL, 0);
	before = ctp_load_acquire(counter);
	/* More events than all its rings together can hold: it met a full ring, and went on. */
	while (ctp_load_acquire(counter) < before + 2 * CTP_RING_CHUNKS * CTP_CHUNK_RECORDS)
		if (kill((pid_t)target_pid, 0))
			break;
	CHECK_EQUAL(kill((pid_t)target_pid, SIGKILL), 0);
	close(ready[0]);
	close(ready[1]);
	munmap(counter, sizeof(*counter));
	unlink(path);
}

/* A child that still runs when the target has ended is released, and lives on. */
static void test_child_lives_on(void)
{
	const struct ct_definition *child;
	const struct ct_definition *ending;
	struct run run;
	pid_t pid;

	run_whole(&run, "child", NULL);
	CHECK_EQUAL(run.stats.ending, CT_ENDING_EXITED);
	child = find_process(&run, 2);
	CHECK(child != NULL);
	if (child) {
		pid = (pid_t)child->process.pid;
		ending = find_ending(&run, 2);
		CHECK(ending && ending->ending.ending == CT_ENDING_DETACHED);
		CHECK(kill(pid, 0) == 0);
		kill(pid, SIGKILL);
	}
	run_close(&run);
}

/* While both processes live, the child's parent is known. */
static void test_parent_is_known(void)
{
	const char *command[] = {target, "family", NULL};
	const struct ct_definition *child;
	struct run run;

	run_open(&run, command);
	/* The parent writes its own events after it has heard from the child. */
	while (run.status == CT_OK && keep_count_kind(&run.keep, CTP_KIND_SUSPEND) < 6)
		run.status = collect_step(run.collect, 100, &run.trouble);
	child = find_process(&run, 2);
	CHECK(child && child->process.parent == 1);
	if (child)
		kill((pid_t)child->process.pid, SIGKILL);
	end_by_kill(&run);
	run_close(&run);
}

/* A child that ended earlier: all its events are there, and its ending. */
static void test_child_ends_first(void)
{
	const struct ct_definition *child;
	const struct ct_definition *ending;
	struct run run;

	run_whole(&run, "orphan", NULL);
	CHECK_EQUAL(keep_count_kind(&run.keep, CTP_KIND_SUSPEND), 6);
	child = find_process(&run, 2);
	CHECK(child != NULL);
	ending = find_ending(&run, 2);
	/* Before Linux 6.15 only the parent learns the ending, and later processes are not always seen in time. */
	CHECK(ending && (ending->ending.ending == CT_ENDING_UNKNOWN ||
				ending->ending.ending == CT_ENDING_EXITED));
	CHECK_EQUAL(run.stats.nr_segments, 2);
	run_close(&run);
}

/* After exec the same process is another program; the last definition is valid. */
static void test_exec(void)
{
	const char *command[] = {"sh", "-c", "exec \"$0\" wait", target, NULL};
	const struct ct_definition *process;
	const char *program = "";
	struct run run;
	size_t i;

	run_open(&run, command);
	step_until(&run, 4);
	for (i = 0; (process = keep_find(&run.keep, CT_DEFINE_PROCESS, i)); i++) {
		CHECK_EQUAL(process->process.process, 1);
		program = process->process.program;
	}
	CHECK(strstr(program, "collect_target") != NULL);
	end_by_kill(&run);
	run_close(&run);
}

static void on_signal(int number)
{
	(void)number;
}

/* The child starts with signals as from a shell, whatever the engine did to its own. */
static void test_signals_of_the_child(void)
{
	sigset_t blocked;
	sigset_t before;
	struct run run;

	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, &before);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN); /* as under nohup */
	signal(SIGTERM, on_signal);
	run_whole(&run, "signals", NULL);
	check_ending(&run, CT_ENDING_EXITED, 4);
	run_close(&run);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void run_preloaded(struct run *run, const char *library, bool no_ledger)
{
	const char *command[] = {target, "preload", library, NULL};
	struct ct_record_options options = {.size = sizeof(options),
		.command = (char *const *)(uintptr_t)command,
		.ledger_path = library,
		.no_ledger = no_ledger};

	memset(run, 0, sizeof(*run));
	keep_init(&run->keep);
	run->status = collect_open(&options, &run->keep.sink, &run->collect, &run->trouble);
	CHECK_EQUAL(run->status, CT_OK);
	run_to_end(run);
}

/* Any library will do, because only the order of preloading is tested. */
static void test_ledger(const char *library)
{
	struct run run;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	/* The target is built like this program, and then runs without a ledger. */
	return;
#endif

	setenv("LD_PRELOAD", library, 1); /* an existing one stays, behind ours */
	run_preloaded(&run, library, false);
	check_ending(&run, CT_ENDING_EXITED, 0);
	CHECK(run.stats.ledger_absence == NULL);
	run_close(&run);
	unsetenv("LD_PRELOAD");
	run_preloaded(&run, library, true);
	check_ending(&run, CT_ENDING_EXITED, 1);
	CHECK(strstr(run.stats.ledger_absence, "not wanted") != NULL);
	run_close(&run);
	run_preloaded(&run, "/no/such/library.so", false);
	check_ending(&run, CT_ENDING_EXITED, 1);
	CHECK_TEXT(run.stats.ledger_absence, "/no/such/library.so cannot be read");
	run_close(&run);
}

/* The output fails half-way: the target runs on to its end, and missing events are counted. */
static void test_failing_output(void)
{
	const char *command[] = {target, "threads", "20", NULL};
	struct run run;
	const uint64_t nr_written =
		20 * (100 + 2); /* of each thread, including its start and end */
	uint64_t nr_told;

	run_open(&run, command);
	run.keep.fail_after = run.keep.definitions.count + 20;
	run.keep.nr_calls = run.keep.definitions.count;
	while ((run.status = collect_step(run.collect, 100, &run.trouble)) == CT_OK)
		;
	CHECK_EQUAL(run.status, CT_END);
	collect_stats(run.collect, &run.stats);
	CHECK_EQUAL(run.stats.nr_events, run.keep.records.count);
	/* The engine's own records vary, because the number of its looks at threads differs from run to run. */
	nr_told = run.stats.nr_events + run.stats.nr_lost;
	CHECK(nr_told >= nr_written && nr_told < 2 * nr_written);
	CHECK(run.stats.nr_lost > 0);
	CHECK_TEXT(run.stats.output_trouble, "this sink is full");
	run_close(&run);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		SKIP("the target's path is the first argument");
	target = argv[1];
	test_command_is_missing();
	test_command_is_not_executable();
	test_command_without_interpreter();
	test_never_attaches();
	test_short_life();
	test_code_of_the_dead();
	test_ends_by_signal();
	test_signal_is_forwarded();
	test_threads();
	test_killed_at_random();
	test_engine_is_killed();
	test_child_lives_on();
	test_parent_is_known();
	test_child_ends_first();
	test_exec();
	test_signals_of_the_child();
	if (argc > 2)
		test_ledger(argv[2]);
	test_failing_output();
	return check_result();
}
