/* SPDX-License-Identifier: MIT */
/*
 * Sorting as a page does it: with room, equal elements keep their order; without room, the result is still sorted.
 */
#include <stdint.h>
#include <stdlib.h>

#include "check.h"
#include "wasm/sort.h"

#define MOST 300u

struct row {
	uint16_t key;
	uint16_t number; /* by which it stood at first */
	char filling[3];
};

static int compare(const void *left, const void *right, void *context)
{
	const struct row *one = left, *other = right;

	++*(unsigned *)context;
	return (one->key > other->key) - (one->key < other->key);
}

static void fill(struct row *rows, uint16_t count, uint16_t nr_keys, uint32_t seed)
{
	uint16_t i;

	for (i = 0; i < count; i++) {
		seed = seed * 1664525u + 1013904223u;
		rows[i] = (struct row){.key = (uint16_t)((seed >> 16) % nr_keys), .number = i};
	}
}

/* No row is lost, and none stands before a smaller one. */
static void check_sorted(const struct row *rows, uint16_t count, int is_stable)
{
	unsigned sum = 0;
	uint16_t i;

	for (i = 0; i < count; i++) {
		sum += rows[i].number;
		if (i == 0)
			continue;
		CHECK(rows[i - 1].key <= rows[i].key);
		CHECK(!is_stable || rows[i - 1].key != rows[i].key ||
			rows[i - 1].number < rows[i].number);
	}
	CHECK_EQUAL(sum, count ? count * (count - 1u) / 2 : 0);
}

static void check_both(uint16_t count, uint16_t nr_keys)
{
	struct row rows[MOST], room[MOST];
	unsigned nr_compared = 0;

	fill(rows, count, nr_keys, count);
	sort_rows((char *)rows, count, sizeof(*rows), (char *)room, compare, &nr_compared);
	check_sorted(rows, count, 1);
	fill(rows, count, nr_keys, count);
	sort_in_place((char *)rows, count, sizeof(*rows), compare, &nr_compared);
	check_sorted(rows, count, 0);
	CHECK(count < 2 || nr_compared > 0);
}

int main(void)
{
	uint16_t count;

	for (count = 0; count <= 40; count++) {
		check_both(count, 1);
		check_both(count, 7);
		check_both(count, 1000);
	}
	check_both(MOST, 5);
	check_both(MOST, 60000);
	return check_result();
}
