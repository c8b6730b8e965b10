/* SPDX-License-Identifier: MIT */
/* co_await Yield(runtime): lets other ready coroutines run first, if there are any. */
#ifndef EXAMPLE_YIELD_H
#define EXAMPLE_YIELD_H

#include <coroutine>

#include "runtime.h"

class Yield
{
      public:
	explicit Yield(Runtime &runtime) : runtime_(runtime)
	{
	}

	bool await_ready() const noexcept
	{
		return false;
	}

	template <typename Promise> void await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		runtime_.wake(coroutine.promise());
	}

	void await_resume() const noexcept
	{
	}

      private:
	Runtime &runtime_;
};

#endif
