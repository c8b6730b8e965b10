/* SPDX-License-Identifier: MIT */
/*
 * Numbers of system calls: those of another machine, and of this one, become those in traces.
 */
#include <string.h>

#include "base/system_calls.h"
#include "check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* As the headers of this machine number them. */
static const struct system_call_there here[] = {
#define X(number, name) {number, name},
#include <system_calls_here.def>
#undef X
};

/* Some of aarch64, and one that x86-64 does not have. */
static const struct system_call_there there[] = {{22, "epoll_pwait"}, {63, "read"}, {98, "futex"},
	{299, "of_its_own"}, {441, "epoll_pwait2"}};

static int32_t of_there(int32_t number)
{
	return system_call_of(number, there, COUNT(there));
}

static void test_another_machine(void)
{
	CHECK_EQUAL(of_there(22), 281);
	CHECK_EQUAL(of_there(63), 0);
	CHECK_EQUAL(of_there(98), 202);
	CHECK_EQUAL(of_there(441), 441);
	CHECK_EQUAL(of_there(299), -1);
	CHECK_EQUAL(of_there(202), -1); /* no number of that machine */
	CHECK_EQUAL(of_there(9999), 9999);
	CHECK_TEXT(system_call_name(of_there(98)), "futex");
	CHECK(!system_call_name(9999) && !system_call_name(-1));
}

static void test_this_machine(void)
{
	size_t nr_known = 0, i;

	for (i = 0; i < COUNT(here); i++) {
		int32_t call = system_call_of(here[i].number, here, COUNT(here));
		const char *name = system_call_name(call);

		nr_known += name != NULL;
		CHECK(!name || strcmp(name, here[i].name) == 0);
#ifdef __x86_64__
		CHECK_EQUAL(call, here[i].number);
#endif
	}
	CHECK(nr_known > 200);
}

int main(void)
{
	test_another_machine();
	test_this_machine();
	return check_result();
}
