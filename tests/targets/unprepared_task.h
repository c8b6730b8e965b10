/* SPDX-License-Identifier: MIT */
/* A coroutine of a program without a probe: it runs at once, and stays after its end. */
#ifndef TESTS_UNPREPARED_TASK_H
#define TESTS_UNPREPARED_TASK_H

#include <coroutine>

struct Task {
	struct promise_type {
		Task get_return_object()
		{
			return {};
		}
		std::suspend_never initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
	};
};

#endif
