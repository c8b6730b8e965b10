/* SPDX-License-Identifier: MIT */
/* The second translation unit of test_cpp_plain: the whole program must share one state of the probe. */
#include "tasks.h"

wrapped from_the_other_unit(int *number);

wrapped from_the_other_unit(int *number)
{
	*number += 10;
	co_await std::suspend_always{};
	*number += 10;
}
