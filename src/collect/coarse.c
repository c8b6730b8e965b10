/* SPDX-License-Identifier: MIT */
/*
 * The thread that advances the words. The thread sleeps while there are no words; it must never keep the collector
 * waiting for longer than it takes to write all words.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "collect/coarse.h"
#include "corotracer/ctp.h"
#include "base/thread.h"

#define TIMER_SLACK_NS 1000ul
#define SECOND_NS UINT64_C(1000000000)

struct coarse {
	uint64_t step_ns;
	uint32_t max_words;
	pthread_t thread;
	bool has_thread;

	pthread_mutex_t lock; /* protects everything that follows */
	pthread_cond_t changed;
	bool is_over;
	uint32_t nr_words;
	uint64_t advanced_ns; /* the value of the words; 0: there were none */
	uint64_t lag_ns;
	uint64_t *words[];
};

/* Advances all words. The lock must be held. */
static void advance(struct coarse *coarse)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint32_t i;

	if (coarse->advanced_ns && now_ns - coarse->advanced_ns > coarse->lag_ns)
		coarse->lag_ns = now_ns - coarse->advanced_ns;
	coarse->advanced_ns = now_ns;
	for (i = 0; i < coarse->nr_words; i++)
		ctp_store_relaxed(coarse->words[i], now_ns);
}

/* Waits while there are no words. The lock must be held. Returns false if the thread is to end. */
static bool wait_for_words(struct coarse *coarse)
{
	while (coarse->nr_words == 0 && !coarse->is_over) {
		coarse->advanced_ns = 0;
		pthread_cond_wait(&coarse->changed, &coarse->lock);
	}
	return !coarse->is_over;
}

/* A step is counted from now, not from when the last step was due: missed steps cannot be made up for. */
static void sleep_a_step(uint64_t step_ns)
{
	struct timespec pause = {
		.tv_sec = (time_t)(step_ns / SECOND_NS),
		.tv_nsec = (long)(step_ns % SECOND_NS),
	};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

static void *advance_words(void *context)
{
	struct coarse *coarse = context;

	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	pthread_mutex_lock(&coarse->lock);
	while (wait_for_words(coarse)) {
		advance(coarse);
		pthread_mutex_unlock(&coarse->lock);
		sleep_a_step(coarse->step_ns);
		pthread_mutex_lock(&coarse->lock);
	}
	pthread_mutex_unlock(&coarse->lock);
	return NULL;
}

enum ct_status collect_coarse_open(
	uint64_t step_ns, uint32_t max_words, struct coarse **ret_coarse, struct ct_error *reterr)
{
	struct coarse *coarse = calloc(1, sizeof(*coarse) + max_words * sizeof(uint64_t *));

	if (!coarse)
		return ct_fail_memory(reterr);
	coarse->step_ns = step_ns;
	coarse->lag_ns = step_ns;
	coarse->max_words = max_words;
	pthread_mutex_init(&coarse->lock, NULL);
	pthread_cond_init(&coarse->changed, NULL);
	*ret_coarse = coarse;
	return CT_OK;
}

void collect_coarse_close(struct coarse *coarse)
{
	if (!coarse)
		return;
	if (coarse->has_thread) {
		pthread_mutex_lock(&coarse->lock);
		coarse->is_over = true;
		pthread_cond_signal(&coarse->changed);
		pthread_mutex_unlock(&coarse->lock);
		pthread_join(coarse->thread, NULL);
	}
	pthread_cond_destroy(&coarse->changed);
	pthread_mutex_destroy(&coarse->lock);
	free(coarse);
}

static bool start_thread(struct coarse *coarse)
{
	if (!coarse->has_thread)
		coarse->has_thread = thread_start(&coarse->thread, advance_words, coarse) == 0;
	return coarse->has_thread;
}

bool collect_coarse_add(struct coarse *coarse, uint64_t *word, uint64_t since_ns)
{
	bool is_added = false;
	uint64_t now_ns;

	if (!start_thread(coarse))
		return false;
	pthread_mutex_lock(&coarse->lock);
	if (coarse->nr_words < coarse->max_words) {
		now_ns = clock_monotonic_ns();
		ctp_store_relaxed(word, now_ns);
		if (since_ns < now_ns && now_ns - since_ns > coarse->lag_ns)
			coarse->lag_ns = now_ns - since_ns;
		coarse->words[coarse->nr_words++] = word;
		pthread_cond_signal(&coarse->changed);
		is_added = true;
	}
	pthread_mutex_unlock(&coarse->lock);
	return is_added;
}

void collect_coarse_remove(struct coarse *coarse, const uint64_t *word)
{
	uint32_t i;

	pthread_mutex_lock(&coarse->lock);
	for (i = 0; i < coarse->nr_words && coarse->words[i] != word; i++)
		;
	if (i < coarse->nr_words)
		coarse->words[i] = coarse->words[--coarse->nr_words];
	pthread_mutex_unlock(&coarse->lock);
}

uint64_t collect_coarse_lag_ns(struct coarse *coarse)
{
	uint64_t lag_ns;

	pthread_mutex_lock(&coarse->lock);
	lag_ns = coarse->lag_ns;
	pthread_mutex_unlock(&coarse->lock);
	return lag_ns;
}
