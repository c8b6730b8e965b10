/* SPDX-License-Identifier: MIT */
/* Numbers to bits and back. Differences are taken modulo 2^64, so that any two numbers have a difference. */
#include <string.h>

#include "column/bits.h"

#define PLACES 1024u /* size of the hash table of distinct numbers: a power of two */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

static unsigned bits_of(uint64_t number)
{
	unsigned bits = number ? 64u - (unsigned)__builtin_clzll(number) : 0;

	return bits > BITS_MOST ? 64 : bits;
}

static uint16_t bytes_of(unsigned bits, uint32_t count)
{
	return (uint16_t)((bits * count + 7) / 8);
}

/* ---------------------------------------------------------------- choice of the form */

/* The distinct numbers, in the order in which they come. */
struct distinct {
	int64_t *numbers;
	uint32_t count;
	uint16_t place[PLACES]; /* index of a number, plus 1; 0: none */
};

static uint32_t find(struct distinct *distinct, int64_t number)
{
	uint32_t at = (uint32_t)((uint64_t)number * HASH_FACTOR >> 54);

	while (distinct->place[at] && distinct->numbers[distinct->place[at] - 1u] != number)
		at = (at + 1) % PLACES;
	return at;
}

static bool gather(struct distinct *distinct, const int64_t *values, uint32_t count)
{
	uint32_t i, at;

	for (i = 0; i < count; i++) {
		at = find(distinct, values[i]);
		if (distinct->place[at])
			continue;
		if (distinct->count == BITS_MOST_DISTINCT)
			return false;
		distinct->numbers[distinct->count++] = values[i];
		distinct->place[at] = (uint16_t)distinct->count;
	}
	return true;
}

/* The least and the greatest number of a column, and the least and the greatest difference of neighbours. */
struct extent {
	int64_t least, most;
	int64_t least_step, most_step;
	bool has_overflow; /* a difference does not fit */
};

/* The loop has no branch, so that compilers make vectors of it. */
static inline __attribute__((always_inline)) struct extent look_through(
	const int64_t *values, uint32_t count)
{
	int64_t least = values[0], most = values[0];
	int64_t least_step = INT64_MAX, most_step = INT64_MIN, overflow = 0;
	uint32_t i;

	for (i = 1; i < count; i++) {
		int64_t value = values[i], before = values[i - 1];
		int64_t step = (int64_t)((uint64_t)value - (uint64_t)before);

		least = value < least ? value : least;
		most = value > most ? value : most;
		least_step = step < least_step ? step : least_step;
		most_step = step > most_step ? step : most_step;
		overflow |= (value ^ before) & (value ^ step);
	}
	return (struct extent){least, most, least_step, most_step, overflow < 0};
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static struct extent look_through_by_vectors(
	const int64_t *values, uint32_t count)
{
	return look_through(values, count);
}

static struct extent extent_of(const int64_t *values, uint32_t count)
{
	return __builtin_cpu_supports("avx2") ? look_through_by_vectors(values, count)
					      : look_through(values, count);
}

#else

static struct extent extent_of(const int64_t *values, uint32_t count)
{
	return look_through(values, count);
}

#endif

static void plan_steps(
	struct bits_plan *plan, const struct extent *extent, const int64_t *values, uint32_t count)
{
	unsigned bits = bits_of((uint64_t)extent->most_step - (uint64_t)extent->least_step);
	struct bits_plan steps = {.form = BITS_STEPS,
		.least = plan->least,
		.most = plan->most,
		.first = values[0],
		.base = extent->least_step,
		.bits = (uint8_t)bits,
		.nr_bytes = bytes_of(bits, count)};

	if (count == 1 || extent->has_overflow)
		return;
	column_bits_far(
		&steps, values, count, &(struct bits_range){extent->least_step, extent->most_step});
	if (steps.nr_bytes < plan->nr_bytes)
		*plan = steps;
}

static void plan_table(struct bits_plan *plan, const int64_t *values, uint32_t count,
	int64_t ret_distinct[BITS_MOST_DISTINCT])
{
	struct distinct distinct = {.numbers = ret_distinct};
	uint32_t nr_bytes;
	unsigned bits, width;

	/* A table saves nothing if a number takes no more bits than its index would. */
	if (plan->nr_bytes <= bytes_of(10, count) || !gather(&distinct, values, count))
		return;
	bits = bits_of(distinct.count - 1);
	width = (bits_of((uint64_t)plan->most - (uint64_t)plan->least) + 7) / 8;
	nr_bytes = distinct.count * width + bytes_of(bits, count);
	if (nr_bytes >= plan->nr_bytes)
		return;
	plan->form = BITS_TABLE;
	plan->base = plan->least;
	plan->nr_apart = (uint16_t)distinct.count;
	plan->width = (uint8_t)width;
	plan->bits = (uint8_t)bits;
	plan->nr_bytes = (uint16_t)nr_bytes;
}

struct bits_plan column_bits_plan(
	const int64_t *values, uint32_t count, int64_t ret_distinct[BITS_MOST_DISTINCT])
{
	struct extent extent = extent_of(values, count);
	struct bits_plan plan = {.form = BITS_PLAIN,
		.least = extent.least,
		.most = extent.most,
		.base = extent.least};

	plan.bits = (uint8_t)bits_of((uint64_t)plan.most - (uint64_t)plan.least);
	plan.nr_bytes = bytes_of(plan.bits, count);
	column_bits_far(&plan, values, count, &(struct bits_range){extent.least, extent.most});
	plan_steps(&plan, &extent, values, count);
	plan_table(&plan, values, count, ret_distinct);
	return plan;
}

struct bits_plan column_bits_plan_between(const int64_t *values, uint32_t count)
{
	struct extent extent = extent_of(values, count);

	return (struct bits_plan){.form = BITS_BETWEEN, .least = extent.least, .most = extent.most};
}

/* ---------------------------------------------------------------- packing and unpacking */

/* Writes numbers of up to BITS_MOST, or of 64, one after the other. */
static void put_all(uint8_t *to, unsigned bits, const uint64_t *numbers, uint32_t count)
{
	uint64_t word = 0;
	unsigned nr_held = 0;
	uint32_t i;

	if (bits == 64) {
		memcpy(to, numbers, count * sizeof(*numbers));
		return;
	}
	for (i = 0; bits && i < count; i++) {
		word |= numbers[i] << nr_held;
		nr_held += bits;
		if (nr_held < 64)
			continue;
		memcpy(to, &word, sizeof(word));
		to += sizeof(word);
		nr_held -= 64;
		word = nr_held ? numbers[i] >> (bits - nr_held) : 0;
	}
	memcpy(to, &word, (nr_held + 7) / 8);
}

static uint64_t take(const uint8_t *from, unsigned bits, uint32_t number)
{
	uint64_t at = (uint64_t)number * bits, word;

	memcpy(&word, from + at / 8, sizeof(word));
	return bits == 64 ? word : word >> at % 8 & ((UINT64_C(1) << bits) - 1);
}

static void find_places(const int64_t *numbers, uint32_t nr_distinct, const int64_t *values,
	uint32_t count, uint64_t *ret_places)
{
	struct distinct distinct = {.numbers = (int64_t *)(uintptr_t)numbers};
	uint32_t i;

	for (i = 0; i < nr_distinct; i++)
		distinct.place[find(&distinct, numbers[i])] = (uint16_t)(i + 1);
	for (i = 0; i < count; i++)
		ret_places[i] = distinct.place[find(&distinct, values[i])] - 1u;
}

static void subtract(const struct bits_plan *plan, const int64_t *values, uint32_t count,
	uint64_t *ret_differences)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		ret_differences[i] = (uint64_t)values[i] - (uint64_t)plan->base;
}

static void subtract_steps(const struct bits_plan *plan, const int64_t *values, uint32_t count,
	uint64_t *ret_differences)
{
	uint32_t i;

	ret_differences[0] = 0;
	for (i = 1; i < count; i++)
		ret_differences[i] =
			(uint64_t)values[i] - (uint64_t)values[i - 1] - (uint64_t)plan->base;
}

static void write_differences(
	const struct bits_plan *plan, uint64_t *differences, uint32_t count, uint8_t *to)
{
	uint64_t mask = plan->bits < 64 ? (UINT64_C(1) << plan->bits) - 1 : UINT64_MAX;
	uint32_t i;

	column_bits_write_far(plan, differences, count, to + bytes_of(plan->bits, count));
	for (i = 0; plan->nr_apart && i < count; i++)
		differences[i] &= mask;
	put_all(to, plan->bits, differences, count);
}

static void write_table(const struct bits_plan *plan, const int64_t *numbers, const int64_t *values,
	uint32_t count, uint8_t *to)
{
	uint64_t places[COLUMN_ROWS], number;
	uint32_t i;

	for (i = 0; i < plan->nr_apart; i++, to += plan->width) {
		number = (uint64_t)numbers[i] - (uint64_t)plan->base;
		memcpy(to, &number, plan->width);
	}
	find_places(numbers, plan->nr_apart, values, count, places);
	put_all(to, plan->bits, places, count);
}

void column_bits_write(const struct bits_plan *plan, const int64_t *numbers, const int64_t *values,
	uint32_t count, uint8_t *to)
{
	uint64_t differences[COLUMN_ROWS] = {0};

	switch ((enum bits_form)plan->form) {
	case BITS_PLAIN:
		subtract(plan, values, count, differences);
		write_differences(plan, differences, count, to);
		return;
	case BITS_STEPS:
		subtract_steps(plan, values, count, differences);
		write_differences(plan, differences, count, to);
		return;
	case BITS_TABLE:
		write_table(plan, numbers, values, count, to);
		return;
	case BITS_BETWEEN:
		return;
	}
}

static void read_plain(
	const struct bits_plan *plan, const uint8_t *from, uint32_t count, int64_t *ret_values)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		ret_values[i] = (int64_t)((uint64_t)plan->base + take(from, plan->bits, i));
	column_bits_read_far(plan, from + bytes_of(plan->bits, count), ret_values);
}

static void read_steps(
	const struct bits_plan *plan, const uint8_t *from, uint32_t count, int64_t *ret_values)
{
	uint32_t i;

	read_plain(plan, from, count, ret_values);
	ret_values[0] = plan->first;
	for (i = 1; i < count; i++)
		ret_values[i] = (int64_t)((uint64_t)ret_values[i - 1] + (uint64_t)ret_values[i]);
}

static void read_table(
	const struct bits_plan *plan, const uint8_t *from, uint32_t count, int64_t *ret_values)
{
	int64_t numbers[BITS_MOST_DISTINCT];
	uint32_t i;

	for (i = 0; i < plan->nr_apart; i++, from += plan->width) {
		uint64_t number = 0;

		memcpy(&number, from, plan->width);
		numbers[i] = (int64_t)((uint64_t)plan->base + number);
	}
	for (i = 0; i < count; i++)
		ret_values[i] = numbers[take(from, plan->bits, i)];
}

void column_bits_read(
	const struct bits_plan *plan, const uint8_t *from, uint32_t count, int64_t *ret_values)
{
	switch ((enum bits_form)plan->form) {
	case BITS_PLAIN:
		read_plain(plan, from, count, ret_values);
		return;
	case BITS_STEPS:
		read_steps(plan, from, count, ret_values);
		return;
	case BITS_TABLE:
		read_table(plan, from, count, ret_values);
		return;
	case BITS_BETWEEN:
		return;
	}
}
