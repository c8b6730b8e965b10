/* SPDX-License-Identifier: MIT */
/*
 * The player of C and of C++: executes the lines on standard input (README.md). Each of the two includes its probe
 * before this file.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 12
#define NR_REGISTERS 16

struct argument {
	uint64_t number;
	const char *text; /* NULL: none */
};

struct call {
	const char *name;
	uint64_t (*run)(const struct argument *argument);
};

static uint64_t registers[NR_REGISTERS];
static uint64_t last_result;

#define N(index) (argument[index].number)
#define W(index) ((uint32_t)argument[index].number)
#define T(index) (argument[index].text)
#define LENGTH(index) (T(index) ? (uint32_t)strlen(T(index)) : 0)

/* Calls with a result, and without one. */
#define RESULT(name, expression)                                    \
	static uint64_t run_##name(const struct argument *argument) \
	{                                                           \
		(void)argument;                                     \
		return expression;                                  \
	}
#define PLAIN(name, expression) RESULT(name, (expression, (uint64_t)0))

#define CALLS(RESULT, PLAIN)                                                                  \
	RESULT(is_attached, ctp_is_attached())                                                \
	PLAIN(emit, ctp_emit(N(0), N(1), N(2)))                                               \
	PLAIN(emit_with, ctp_emit_with(N(0), N(1), N(2), (enum ctp_detail)N(3), N(4)))        \
	RESULT(coro_new, ctp_coro_new())                                                      \
	RESULT(current, ctp_current())                                                        \
	RESULT(site_address, ctp_site_address((const void *)(uintptr_t)N(0), W(1)))           \
	PLAIN(create, ctp_create(N(0), N(1), W(2)))                                           \
	PLAIN(frame, ctp_frame(N(0), (const void *)(uintptr_t)N(1), W(2)))                    \
	PLAIN(resume, ctp_resume(N(0), (enum ctp_point)N(1)))                                 \
	PLAIN(suspend, ctp_suspend(N(0), N(1), W(2), (enum ctp_point)N(3)))                   \
	PLAIN(suspend_until, ctp_suspend_until(N(0), N(1), W(2), (enum ctp_point)N(3), N(4))) \
	PLAIN(switch, ctp_switch(N(0), N(1), W(2), (enum ctp_point)N(3)))                     \
	PLAIN(switch_for, ctp_switch_for(N(0), N(1), N(2), W(3), (enum ctp_point)N(4)))       \
	PLAIN(cancel, ctp_cancel(N(0)))                                                       \
	PLAIN(wake, ctp_wake(N(0), N(1), W(2), (enum ctp_outcome)N(3)))                       \
	PLAIN(return, ctp_return(N(0)))                                                       \
	PLAIN(return_failed, ctp_return_failed(N(0), W(1)))                                   \
	PLAIN(return_cancelled, ctp_return_cancelled(N(0), W(1)))                             \
	PLAIN(destroy, ctp_destroy(N(0), (enum ctp_life)N(1)))                                \
	PLAIN(destroy_at, ctp_destroy_at(N(0), (enum ctp_life)N(1), W(2)))                    \
	PLAIN(await, ctp_await(N(0), N(1), W(2)))                                             \
	PLAIN(await_done, ctp_await_done(N(0), N(1)))                                         \
	PLAIN(acquire, ctp_acquire(N(0), N(1), W(2)))                                         \
	PLAIN(release, ctp_release(N(0), N(1), W(2)))                                         \
	PLAIN(block, ctp_block(N(0), (int64_t)N(1), W(2)))                                    \
	PLAIN(block_done, ctp_block_done(W(0)))                                               \
	PLAIN(hand_over, ctp_hand_over(N(0), N(1), N(2), W(3)))                               \
	PLAIN(notify, ctp_notify(N(0), N(1), W(2), W(3)))                                     \
	PLAIN(enqueue, ctp_enqueue(N(0), N(1)))                                               \
	PLAIN(enqueue_private, ctp_enqueue_private(N(0), N(1)))                               \
	PLAIN(dequeue, ctp_dequeue(N(0), N(1)))                                               \
	PLAIN(descriptor_open, ctp_descriptor_open(N(0), W(1)))                               \
	PLAIN(descriptor_close, ctp_descriptor_close(N(0), W(1)))                             \
	PLAIN(descriptor_arm, ctp_descriptor_arm(N(0), W(1), (uint16_t)N(2), N(3), W(4)))     \
	PLAIN(descriptor_ready, ctp_descriptor_ready(N(0), (uint16_t)N(1), N(2)))             \
	PLAIN(park, ctp_park(N(0), W(1)))                                                     \
	PLAIN(park_until, ctp_park_until(N(0), W(1), N(2)))                                   \
	PLAIN(park_untimed, ctp_park_untimed(N(0), W(1)))                                     \
	PLAIN(unpark, ctp_unpark(N(0)))                                                       \
	PLAIN(range_begin, ctp_range_begin(N(0), N(1), (enum ctp_range)N(2), W(3)))           \
	PLAIN(range_end, ctp_range_end(N(0), N(1), (enum ctp_range)N(2)))                     \
	PLAIN(processor_state, ctp_processor_state(N(0), (enum ctp_processor)N(1)))           \
	PLAIN(syscall_begin, ctp_syscall_begin(N(0), N(1), W(2)))                             \
	PLAIN(syscall_end, ctp_syscall_end(N(0), N(1) != 0))                                  \
	RESULT(intern, ctp_intern(T(0), LENGTH(0)))                                           \
	RESULT(task_new, ctp_task_new())                                                      \
	PLAIN(task_begin, ctp_task_begin(N(0), N(1), W(2)))                                   \
	PLAIN(task_end, ctp_task_end(N(0), N(1)))                                             \
	PLAIN(task_set, ctp_task_set(N(0), N(1)))                                             \
	PLAIN(region_begin, ctp_region_begin(N(0), N(1), W(2)))                               \
	PLAIN(region_end, ctp_region_end(N(0), W(1)))                                         \
	PLAIN(log, ctp_log(N(0), W(1)))                                                       \
	PLAIN(log_number, ctp_log_number(N(0), (int64_t)N(1), W(2)))                          \
	PLAIN(log_text, ctp_log_text(N(0), T(1), LENGTH(1), W(2)))                            \
	PLAIN(counter, ctp_counter((int64_t)N(0), W(1)))                                      \
	PLAIN(name_coro, ctp_name_coro(N(0), W(1)))                                           \
	PLAIN(name_thread, ctp_name_thread(W(0)))                                             \
	PLAIN(name_resource, ctp_name_resource(N(0), W(1)))                                   \
	PLAIN(mark, ctp_mark(N(0), (enum ctp_mark)N(1), N(2), W(3)))                          \
	PLAIN(daemon, ctp_daemon(N(0)))                                                       \
	PLAIN(expect_idle, ctp_expect_idle(N(0)))                                             \
	PLAIN(start, ctp_start())                                                             \
	PLAIN(stop, ctp_stop())                                                               \
	PLAIN(detach, ctp_detach())                                                           \
	RESULT(site, intern_site(argument))

static uint64_t intern_site(const struct argument *argument)
{
	struct ctp_site_source source = {W(0), W(1), W(2), LENGTH(5), T(3), T(4), T(5), N(6)};

	return ctp_site_remember(NULL, 0, NULL, &source);
}

CALLS(RESULT, PLAIN)

#define LINE(name, expression) {#name, run_##name},
static const struct call calls[] = {CALLS(LINE, LINE)};

static struct argument argument_of(char *word)
{
	struct argument argument = {0, NULL};
	char *blank;

	if (word[0] == '\'') {
		while ((blank = strchr(word, '_')) != NULL)
			*blank = ' ';
		argument.text = word + 1;
	} else if (word[0] == '$') {
		argument.number = registers[strtoul(word + 1, NULL, 10) % NR_REGISTERS];
	} else if (strcmp(word, "-") != 0) {
		argument.number =
			word[0] == '-' ? (uint64_t)strtoll(word, NULL, 0) : strtoull(word, NULL, 0);
	}
	return argument;
}

static void perform(const char *name, const struct argument *arguments, uint64_t times)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(calls[i].name, name) != 0)
			continue;
		while (times-- > 0)
			last_result = calls[i].run(arguments);
		return;
	}
	fprintf(stderr, "play: there is no call %s\n", name);
	exit(1);
}

static void *play(void *unused);

static void play_thread(void)
{
	pthread_t thread;

	puts("ok");
	fflush(stdout);
	if (pthread_create(&thread, NULL, play, NULL) != 0)
		exit(1);
	pthread_join(thread, NULL);
}

static void play_words(char **words, uint32_t count)
{
	struct argument arguments[WORDS_MAX] = {{0, NULL}};
	uint32_t first = strcmp(words[0], "repeat") == 0 ? 2 : 0;
	uint64_t times = first ? strtoull(words[1], NULL, 10) : 1;
	uint32_t i;

	for (i = first + 1; i < count; i++)
		arguments[i - first - 1] = argument_of(words[i]);
	if (strcmp(words[0], "thread") == 0)
		play_thread();
	else if (strcmp(words[0], "keep") == 0)
		registers[arguments[0].number % NR_REGISTERS] = last_result;
	else
		perform(words[first], arguments, times);
	puts("ok");
	fflush(stdout);
}

/* Reads lines until there are none, or until this thread shall end. */
static void *play(void *unused)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		char *words[WORDS_MAX], *rest = NULL;
		uint32_t count = 0;

		line[strcspn(line, "\n")] = '\0';
		for (words[0] = strtok_r(line, " ", &rest); count < WORDS_MAX - 1 && words[count];)
			words[++count] = strtok_r(NULL, " ", &rest);
		if (count == 0 || strcmp(words[0], "end") == 0)
			break;
		play_words(words, count);
	}
	return unused;
}

int main(void)
{
	if (!ctp_attach())
		return 1;
	play(NULL);
	return 0;
}
