/* SPDX-License-Identifier: MIT */
/*
 * Runs a harness over its corpus as an ordinary test: each file unchanged, and with changes that are the same on every
 * machine. A harness that finds a fault aborts.
 *
 *	replay FILE...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

#define NR_CHANGED 300
#define CHANGES_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Changes one byte or a 32-bit number, moves a piece, or cuts off the end. */
static void change(uint8_t *bytes, size_t *nr_bytes, uint64_t *state)
{
	static const uint32_t numbers[] = {
		0, 1, 2, 0x7f, 0x80, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
	size_t at = random_word(state) % *nr_bytes, other = random_word(state) % *nr_bytes, length;
	uint32_t number = numbers[random_word(state) % 10];

	switch (random_word(state) % 8) {
	case 0:
		*nr_bytes = at + 1;
		break;
	case 1:
		length = random_word(state) % 64;
		if (at + length <= *nr_bytes && other + length <= *nr_bytes)
			memmove(bytes + at, bytes + other, length);
		break;
	case 2:
		if (at + sizeof(number) <= *nr_bytes)
			memcpy(bytes + at, &number, sizeof(number));
		break;
	default:
		bytes[at] = (uint8_t)random_word(state);
		break;
	}
}

static void replay(const char *path)
{
	uint64_t state = UINT64_C(88172645463325252);
	size_t nr_bytes, nr_changed, round, i;
	uint8_t *changed;
	char *bytes;

	if (io_read_file(path, SIZE_MAX / 4, &bytes, &nr_bytes, NULL)) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(1);
	}
	LLVMFuzzerTestOneInput((const uint8_t *)bytes, nr_bytes);
	for (round = 0; round < NR_CHANGED && nr_bytes; round++) {
		/* A buffer of exactly the input's size, so that a read beyond its end is detected. */
		changed = malloc(nr_bytes);
		if (!changed)
			exit(1);
		memcpy(changed, bytes, nr_bytes);
		nr_changed = nr_bytes;
		for (i = random_word(&state) % CHANGES_MAX + 1; i > 0; i--)
			change(changed, &nr_changed, &state);
		LLVMFuzzerTestOneInput(changed, nr_changed);
		free(changed);
	}
	free(bytes);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		replay(argv[i]);
	return argc > 1 ? 0 : 1;
}
