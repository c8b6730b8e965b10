/* SPDX-License-Identifier: MIT */
/*
 * The time between two looks: a short pause while events flow. In silence the engine sleeps until something happens, if
 * wake-ups are reliable. If they are not, the engine looks again after 10 ms at most.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <time.h>

#include "collect/collector.h"

#define PAUSE_LEAST_NS UINT64_C(250000)
#define PAUSE_FLOWING_NS UINT64_C(1000000) /* longer by this step with each look in silence */
#define PAUSE_ASLEEP_NS UINT64_C(5000000)  /* after pauses of 1, 2, 3 and 4 ms */
#define PAUSE_MOST_NS UINT64_C(10000000)
#define EVENTS_A_WAIT 8
#define MILLISECOND_NS UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

/* ------------------------------------------------------------------ length of the pause */

static uint64_t quarter_of_a_ring(const struct collect *collect)
{
	uint32_t nr_chunks = collect->chunks_per_ring;

	if (nr_chunks == 0 || nr_chunks > CTP_RING_CHUNKS)
		nr_chunks = CTP_RING_CHUNKS;
	return (uint64_t)nr_chunks * CTP_CHUNK_RECORDS / 4;
}

/* Returns the pause before the next look: a look comes before a ring is a quarter full, and at once if a ring is. */
static uint64_t pause_while_flowing(const struct collect *collect, uint64_t since_ns)
{
	uint64_t quarter = quarter_of_a_ring(collect);
	uint64_t filling_ns;

	if (collect->most_records >= quarter)
		return 0;
	filling_ns = since_ns * quarter / (collect->most_records + 1);
	if (filling_ns < PAUSE_LEAST_NS)
		return PAUSE_LEAST_NS;
	return filling_ns < PAUSE_FLOWING_NS ? filling_ns : PAUSE_FLOWING_NS;
}

/*
 * Decides on the next pause. Stations hold eight events each: while they keep having events, they are looked at again
 * at once, and so is a segment that had more than its turn. When they have become quiet, probes wake the engine.
 */
void collect_wait_adapt(struct collect *collect, uint64_t nr_records, enum harvest harvest)
{
	uint64_t since_ns = collect->now_ns - collect->looked_ns;

	if (since_ns > SECOND_NS)
		since_ns = SECOND_NS;
	collect->looked_ns = collect->now_ns;
	if (harvest == HARVEST_GOES_ON || nr_records >= SEGMENT_TURN)
		collect->pause_ns = 0;
	else if (harvest == HARVEST_IS_QUIET && nr_records == 0)
		collect->pause_ns = PAUSE_FLOWING_NS;
	else if (nr_records > 0)
		collect->pause_ns = pause_while_flowing(collect, since_ns);
	else if (collect->pause_ns < PAUSE_MOST_NS)
		collect->pause_ns += PAUSE_FLOWING_NS;
}

/* ------------------------------------------------------------------ waiting awake */

static void note_events(struct collect *collect, const struct epoll_event *events, int nr_events)
{
	int i;

	collect->has_news = collect->has_wakes = false;
	for (i = 0; i < nr_events; i++) {
		collect->has_news |= events[i].data.u32 == COLLECT_NEWS;
		collect->has_wakes |= events[i].data.u32 == COLLECT_WAKES;
	}
}

static int wait_at_epoll(struct collect *collect, uint64_t pause_ns)
{
	struct epoll_event events[EVENTS_A_WAIT];
	const struct timespec pause = {
		.tv_sec = (time_t)(pause_ns / SECOND_NS),
		.tv_nsec = (long)(pause_ns % SECOND_NS),
	};
	int nr_events = epoll_pwait2(collect->waiting, events, EVENTS_A_WAIT, &pause, NULL);

	/* Kernels before 5.11 count in milliseconds. */
	if (nr_events < 0 && (errno == ENOSYS || errno == EPERM))
		nr_events = epoll_wait(collect->waiting, events, EVENTS_A_WAIT,
			(int)((pause_ns + MILLISECOND_NS - 1) / MILLISECOND_NS));
	note_events(collect, events, nr_events);
	return nr_events;
}

/* ------------------------------------------------------------------ waiting asleep */

static bool segments_have_news(void *context)
{
	struct collect *collect = context;
	struct segment *segment;

	for_each_segment (collect, segment)
		if (collect_segment_has_news(segment))
			return true;
	return false;
}

/* Finds the words to sleep on. Returns false if some probe with possible events does not wake the engine. */
static bool find_words(struct collect *collect, struct sleep_words *words)
{
	const struct segment *segment;

	words->count = 0;
	for_each_segment (collect, segment) {
		if (words->count == SLEEP_WORDS || !collect_segment_wakes(segment))
			return false;
		words->at[words->count++] = collect_segment_sleeping(segment);
	}
	return true;
}

/*
 * A peer that has connected and not sent a greeting is asked again, not waited for, and so is a process whose end
 * cannot be watched. A probe of version 1 is not left alone for more than 10 ms: its few events would be lost.
 */
static bool is_everyone_watched(const struct collect *collect)
{
	return !collect->has_unwatched && !collect->has_arrivals &&
	       collect->listener.nr_peers == 0 && !version1_service_has_peers(&collect->service);
}

/* Sleeps. Returns false if nothing was waited for. */
static bool wait_asleep(struct collect *collect, uint64_t limit_ns)
{
	const struct sleep_news news = {collect, segments_have_news};
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t deadline_ns = collect_look_due_ns(collect);
	struct sleep_words words;

	if (!is_everyone_watched(collect) || !find_words(collect, &words))
		return false;
	collect_look_thread_times(
		collect); /* for what was written last; there may be no later look */
	if (limit_ns < UINT64_MAX - now_ns && now_ns + limit_ns < deadline_ns)
		deadline_ns = now_ns + limit_ns;
	if (!collect_sleep_until(&collect->sleep, &words, deadline_ns, &news))
		return false;
	/* A probe that wakes the engine for nothing does so at most a hundred times a second. */
	if (clock_monotonic_ns() < deadline_ns)
		collect->pause_ns = 0;
	return true;
}

enum ct_status collect_wait_for_news(struct collect *collect, int wait_ms, struct ct_error *reterr)
{
	uint64_t limit_ns = wait_ms < 0 ? UINT64_MAX : (uint64_t)wait_ms * MILLISECOND_NS;
	uint64_t pause_ns = collect->pause_ns < limit_ns ? collect->pause_ns : limit_ns;
	int nr_events;

	if (pause_ns > 0 && !version1_service_sleep(&collect->service))
		pause_ns = 0;
	if (pause_ns >= PAUSE_ASLEEP_NS && wait_asleep(collect, limit_ns))
		pause_ns = 0;
	nr_events = wait_at_epoll(collect, pause_ns);
	version1_service_wake(&collect->service);
	if (nr_events < 0 && errno != EINTR)
		return ct_fail_errno(reterr, "waiting for the target");
	return CT_OK;
}
