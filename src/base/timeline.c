/* SPDX-License-Identifier: MIT */
/*
 * Straight lines between clock readings, in 128-bit whole numbers.
 */
#include <string.h>

#include "base/timeline.h"

#define RATE_BITS TIMELINE_RATE_BITS
#define RATE_MAX ((uint64_t)1 << (RATE_BITS + 14))
#define RATE_ONE ((uint64_t)1 << RATE_BITS)
#define SLOPE_BASE_NS UINT64_C(1000000000) /* a slope taken over less time is not exact */
#define LINE_LENGTH ((uint64_t)1 << 44)
/* above this every second piece is dropped, to bound the work for any input */
#define PIECES_MAX 16384

void timeline_fini(struct timeline *timeline)
{
	vec_fini(&timeline->pieces);
	*timeline = (struct timeline){0};
}

/* Returns the nanoseconds per count between two readings; 0: they contradict each other. */
static uint64_t rate_between(const struct timeline_piece *a, const struct timeline_piece *b)
{
	unsigned __int128 rate;

	if (b->raw <= a->raw || b->ns <= a->ns)
		return 0;
	rate = ((unsigned __int128)(b->ns - a->ns) << RATE_BITS) / (b->raw - a->raw);
	return rate > RATE_MAX ? 0 : (uint64_t)rate;
}

static int64_t along(const struct timeline_piece *piece, uint64_t rate, uint64_t raw)
{
	__int128 scaled = ((__int128)raw - piece->raw) * (__int128)rate;
	__int128 ns = (scaled + ((__int128)1 << (RATE_BITS - 1))) >> RATE_BITS;

	ns += piece->ns;
	if (ns > INT64_MAX)
		return INT64_MAX;
	if (ns <= INT64_MIN)
		return INT64_MIN + 1;
	return (int64_t)ns;
}

/* Sets one slope. A new reading changes at most the slopes of its own piece, the piece before it, and both ends. */
static void set_rate(struct timeline *timeline, size_t i)
{
	if (i + 1 < timeline->pieces.count)
		timeline->pieces.at[i].rate =
			rate_between(&timeline->pieces.at[i], &timeline->pieces.at[i + 1]);
}

static uint64_t rate_or_one(const struct timeline_piece *a, const struct timeline_piece *b)
{
	uint64_t rate = rate_between(a, b);

	return rate ? rate : RATE_ONE;
}

static void set_ends(struct timeline *timeline)
{
	struct timeline_piece *at = timeline->pieces.at;
	size_t last = timeline->pieces.count - 1, i;

	for (i = 0; i < last && at[i].ns - at[0].ns < SLOPE_BASE_NS; i++)
		;
	timeline->rate_before = rate_or_one(&at[0], &at[i]);
	for (i = last; i > 0 && at[last].ns - at[i].ns < SLOPE_BASE_NS; i--)
		;
	at[last].rate = rate_or_one(&at[i], &at[last]);
}

/* Notes how far a reading lies from the line through its neighbours. */
static void note_skew(struct timeline *timeline, size_t i)
{
	const struct timeline_piece *at = timeline->pieces.at;
	uint64_t expected, distance;

	if (i == 0 || i + 1 >= timeline->pieces.count)
		return;
	expected = (uint64_t)along(&at[i - 1], rate_or_one(&at[i - 1], &at[i + 1]), at[i].raw);
	distance = expected > at[i].ns ? expected - at[i].ns : at[i].ns - expected;
	if (distance > timeline->skew_ns)
		timeline->skew_ns = distance;
}

static bool fits(const struct timeline *timeline, size_t i, const struct timeline_piece *piece)
{
	const struct timeline_piece *at = timeline->pieces.at;

	return (i == 0 || rate_between(&at[i - 1], piece) != 0) &&
	       (i == timeline->pieces.count || rate_between(piece, &at[i]) != 0);
}

static void thin_out(struct timeline *timeline)
{
	size_t last = timeline->pieces.count - 1, kept = 0, i;

	for (i = 0; i <= last; i++) {
		if (i % 2 == 0 || i == last)
			timeline->pieces.at[kept++] = timeline->pieces.at[i];
	}
	timeline->pieces.count = kept;
	for (i = 0; i < kept; i++)
		set_rate(timeline, i);
}

static bool insert(struct timeline *timeline, size_t i, const struct timeline_piece *piece)
{
	size_t behind = timeline->pieces.count - i;

	if (!vec_push(&timeline->pieces, *piece))
		return false;
	memmove(&timeline->pieces.at[i + 1], &timeline->pieces.at[i], behind * sizeof(*piece));
	timeline->pieces.at[i] = *piece;
	return true;
}

bool timeline_add(
	struct timeline *timeline, uint64_t raw, uint64_t monotonic_ns, uint64_t uncertainty_ns)
{
	struct timeline_piece piece = {raw, monotonic_ns, RATE_ONE};
	size_t i;

	if (timeline->pieces.count == PIECES_MAX)
		thin_out(timeline);
	/* Searched from the end, because readings mostly come in order. */
	for (i = timeline->pieces.count; i > 0 && timeline->pieces.at[i - 1].raw > raw; i--)
		;
	if (i > 0 && timeline->pieces.at[i - 1].raw == raw &&
		timeline->pieces.at[i - 1].ns == monotonic_ns)
		return true;
	if (monotonic_ns > INT64_MAX || !fits(timeline, i, &piece)) {
		timeline->nr_refused++;
		return true;
	}
	if (!insert(timeline, i, &piece))
		return false;
	if (i > 0)
		set_rate(timeline, i - 1);
	set_rate(timeline, i);
	set_ends(timeline);
	note_skew(timeline, i);
	if (i > 0)
		note_skew(timeline, i - 1);
	if (uncertainty_ns > timeline->skew_ns)
		timeline->skew_ns = uncertainty_ns;
	return true;
}

/* Returns the last piece that begins at or before `raw`; there must be one. */
static size_t find_piece(const struct timeline *timeline, uint64_t raw)
{
	size_t nr = vec_count_while(timeline->pieces.count, i, timeline->pieces.at[i].raw <= raw);

	return nr ? nr - 1 : 0;
}

static bool is_within(const struct timeline *timeline, size_t i, uint64_t raw)
{
	return i < timeline->pieces.count && timeline->pieces.at[i].raw <= raw &&
	       (i + 1 == timeline->pieces.count || raw < timeline->pieces.at[i + 1].raw);
}

int64_t timeline_ns(const struct timeline *timeline, uint64_t raw, size_t *hint)
{
	const struct timeline_piece *at = timeline->pieces.at;

	if (timeline->pieces.count == 0)
		return (int64_t)raw;
	if (raw < at[0].raw)
		return along(&at[0], timeline->rate_before, raw);
	if (!is_within(timeline, *hint, raw))
		*hint = find_piece(timeline, raw);
	return along(&at[*hint], at[*hint].rate, raw);
}

struct timeline_line timeline_line(const struct timeline *timeline, uint64_t raw)
{
	struct timeline_line line = {0};
	const struct timeline_piece *piece;
	size_t i;

	if (timeline->pieces.count == 0 || raw < timeline->pieces.at[0].raw)
		return line;
	i = find_piece(timeline, raw);
	piece = &timeline->pieces.at[i];
	line = (struct timeline_line){piece->raw, LINE_LENGTH, (int64_t)piece->ns, piece->rate};
	if (i + 1 < timeline->pieces.count)
		line.length = piece[1].raw - piece->raw;
	/* The line is too long, or too close to the extremes, to be used without checks. */
	if (line.length > LINE_LENGTH || piece->raw > UINT64_MAX - LINE_LENGTH ||
		along(piece, piece->rate, piece->raw + LINE_LENGTH) == INT64_MAX)
		line.length = 0;
	return line;
}

double timeline_hz(const struct timeline *timeline)
{
	const struct timeline_piece *first = timeline->pieces.at, *last;

	if (timeline->pieces.count < 2)
		return 0;
	last = &first[timeline->pieces.count - 1];
	return (double)(last->raw - first->raw) * 1e9 / (double)(last->ns - first->ns);
}
