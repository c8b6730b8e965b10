/* SPDX-License-Identifier: MIT */
/*
 * The header needs neither exceptions nor run-time type information: this program is built without them. The program
 * has two translation units, like real programs.
 */
#include "recording.h"
#include "tasks.h"

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "build this with -fno-exceptions -fno-rtti"
#endif

wrapped from_the_other_unit(int *number);

static task waits(int *number)
{
	*number += 1;
	co_await std::suspend_always{};
	*number += 1;
}

int main()
{
	int number = 0;

	recording::attach();
	{
		task t = waits(&number);
		wrapped w = from_the_other_unit(&number);

		corotracer::wake(t.handle);
		t.resume();
		w.resume();
		CHECK(t.handle.done() && w.handle.done());
	}
	CHECK_EQUAL(number, 22);
	CHECK_STRING(kinds(recording::take_coroutines()),
		"create frame suspend create resume frame suspend wake resume "
		"resume return suspend destroy destroy");
	return check_result();
}
