/* SPDX-License-Identifier: MIT */
/*
 * Far numbers: a few waits of seconds among a thousand of microseconds would otherwise take as many bits for each of
 * them. The base is the least difference, or so chosen that the greatest just fits: then those below it are far.
 */
#include <string.h>

#include "column/bits.h"

#define WIDTHS 65u
#define PLACE_BYTES 2u
#define WORTH_BITS 8u                  /* a column that takes no more is left as it is */
#define RANGE_MOST (UINT64_C(1) << 62) /* so that a difference of two differences fits */

static unsigned width_of(uint64_t number)
{
	return number ? 64u - (unsigned)__builtin_clzll(number) : 0;
}

/* How many differences have which width: from the least one up, and from the greatest one down. */
struct widths {
	uint32_t up[WIDTHS];
	uint32_t down[WIDTHS];
};

static void count_widths(struct widths *widths, const struct bits_plan *plan, const int64_t *values,
	uint32_t count, const struct bits_range *range)
{
	bool has_steps = plan->form == BITS_STEPS;
	uint32_t i;

	for (i = has_steps; i < count; i++) {
		uint64_t number = (uint64_t)values[i];

		if (has_steps)
			number -= (uint64_t)values[i - 1];
		widths->up[width_of(number - (uint64_t)range->least)]++;
		widths->down[width_of((uint64_t)range->most - number)]++;
	}
}

/* The bytes that hold all upper parts, which may be negative. */
static uint8_t width_apart(const struct bits_range *range, int64_t base, unsigned bits)
{
	int64_t low = (range->least - base) >> bits, high = (range->most - base) >> bits;
	uint64_t longest = (uint64_t)(low < 0 ? ~low : low) | (uint64_t)(high < 0 ? ~high : high);

	return (uint8_t)((width_of(longest) + 1 + 7) / 8);
}

static void choose(struct bits_plan *plan, const uint32_t *nr_of_width, unsigned widest,
	uint32_t count, const struct bits_range *range, bool is_down)
{
	uint32_t nr_far = nr_of_width[widest], bits, nr_bytes;

	for (bits = widest - 1; bits > 0; bits--) {
		int64_t base =
			is_down ? range->most - (int64_t)((UINT64_C(1) << bits) - 1) : range->least;
		uint8_t width = width_apart(range, base, bits);

		nr_bytes = (bits * count + 7) / 8 + nr_far * (PLACE_BYTES + width);
		if (bits <= BITS_MOST && nr_bytes < plan->nr_bytes) {
			plan->nr_bytes = (uint16_t)nr_bytes;
			plan->nr_apart = (uint16_t)nr_far;
			plan->bits = (uint8_t)bits;
			plan->base = base;
			plan->width = width;
		}
		nr_far += nr_of_width[bits];
	}
}

void column_bits_far(struct bits_plan *plan, const int64_t *values, uint32_t count,
	const struct bits_range *range)
{
	uint64_t extent = (uint64_t)range->most - (uint64_t)range->least;
	struct widths widths = {0};

	if (plan->bits <= WORTH_BITS || extent >= RANGE_MOST)
		return;
	count_widths(&widths, plan, values, count, range);
	choose(plan, widths.up, width_of(extent), count, range, false);
	choose(plan, widths.down, width_of(extent), count, range, true);
}

void column_bits_write_far(
	const struct bits_plan *plan, const uint64_t *differences, uint32_t count, uint8_t *to)
{
	uint8_t *upper = to + plan->nr_apart * PLACE_BYTES;
	uint16_t i;

	for (i = 0; plan->nr_apart && i < count; i++) {
		int64_t part = (int64_t)differences[i] >> plan->bits;

		if (!part)
			continue;
		memcpy(to, &i, PLACE_BYTES);
		memcpy(upper, &part, plan->width);
		to += PLACE_BYTES;
		upper += plan->width;
	}
}

void column_bits_read_far(const struct bits_plan *plan, const uint8_t *from, int64_t *values)
{
	const uint8_t *upper = from + plan->nr_apart * PLACE_BYTES;
	unsigned unused = 64 - 8u * plan->width;
	uint16_t place;
	uint32_t i;

	for (i = 0; i < plan->nr_apart; i++) {
		uint64_t part = 0;

		memcpy(&place, from + i * PLACE_BYTES, PLACE_BYTES);
		memcpy(&part, upper + i * plan->width, plan->width);
		part = (uint64_t)((int64_t)(part << unused) >> unused);
		values[place] = (int64_t)((uint64_t)values[place] + (part << plan->bits));
	}
}
