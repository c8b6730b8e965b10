/* SPDX-License-Identifier: MIT */
/* Interning: equal strings have one number, also when the table of hashes grows, and after all were forgotten. */
#include <stdio.h>
#include <string.h>

#include "base/interning.h"
#include "check.h"

static uint32_t number_of(struct interning *interning, const char *text)
{
	return interning_number(interning, text, strlen(text));
}

static void test_numbers(void)
{
	struct interning interning = {0};
	uint32_t nr_bytes;

	CHECK_EQUAL(number_of(&interning, "wait"), 0);
	CHECK_EQUAL(number_of(&interning, ""), 1);
	CHECK_EQUAL(number_of(&interning, "wake"), 2);
	CHECK_EQUAL(number_of(&interning, "wait"), 0);
	CHECK_EQUAL(number_of(&interning, ""), 1);
	CHECK_EQUAL(interning.ends.count, 3);
	CHECK(memcmp(interning_bytes(&interning, 2, &nr_bytes), "wake", 4) == 0 && nr_bytes == 4);
	interning_bytes(&interning, 1, &nr_bytes);
	CHECK_EQUAL(nr_bytes, 0);
	interning_fini(&interning);
}

/* A string is its bytes: zeros are bytes, and a prefix is another string. */
static void test_bytes(void)
{
	struct interning interning = {0};

	CHECK_EQUAL(interning_number(&interning, "a\0b", 3), 0);
	CHECK_EQUAL(interning_number(&interning, "a\0c", 3), 1);
	CHECK_EQUAL(interning_number(&interning, "a", 1), 2);
	CHECK_EQUAL(interning_number(&interning, "a\0b", 3), 0);
	interning_fini(&interning);
}

static void test_many(void)
{
	struct interning interning = {0};
	char text[16];
	uint32_t i;

	for (i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "name %u", (unsigned)(i % 10000));
		CHECK_EQUAL(number_of(&interning, text), i % 10000);
	}
	interning_clear(&interning);
	CHECK_EQUAL(number_of(&interning, "name 9999"), 0);
	interning_fini(&interning);
}

int main(void)
{
	test_numbers();
	test_bytes();
	test_many();
	return 0;
}
