/* SPDX-License-Identifier: MIT */
/*
 * The fuzzing harness of the segment, with random stores of fixed seeds: an ordinary test of what tests/fuzz tests for
 * longer.
 */
#include <stddef.h>
#include <stdint.h>

#include "check.h"
#include "corotracer/ctp.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Half of the stores go to the rings' first words, and half of the values lie near powers of two. */
static void make_store(uint8_t *bytes, uint64_t *state)
{
	uint64_t random = random_word(state);
	uint64_t value = random_word(state);
	uint16_t place = (uint16_t)random;

	if (random >> 16 & 1)
		place = (uint16_t)((CTP_PAGE_BYTES + (random >> 20 & 3) * CTP_RING_STRIDE) / 8 +
				   (random >> 24) % 24);
	if (random >> 17 & 1)
		value = (UINT64_C(1) << (value % 64)) - (value >> 8) % 3;
	bytes[0] = (uint8_t)place;
	bytes[1] = (uint8_t)(place >> 8);
	memcpy(bytes + 2, &value, sizeof(value));
}

int main(void)
{
	uint8_t bytes[10 * 64];
	uint64_t state = 88172645463325252u;
	int round;
	int i;

	for (round = 0; round < 300; round++) {
		for (i = 0; i < 64; i++)
			make_store(bytes + i * 10, &state);
		CHECK_EQUAL(LLVMFuzzerTestOneInput(bytes, sizeof(bytes)), 0);
	}
	return check_result();
}
