// SPDX-License-Identifier: MIT
/*
 * Coroutines without a probe that wait for a word of the kernel's: the operation that has a coroutine's handle is known
 * to an interest list of epoll alone, as its user data. Beside those, coroutines whose operations are gone, which
 * nothing can resume any more.
 */
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <sys/epoll.h>
#include <sys/eventfd.h>

constexpr int NR_EACH = 20;

struct task {
	struct promise_type {
		task get_return_object()
		{
			return {};
		}
		std::suspend_never initial_suspend()
		{
			return {};
		}
		std::suspend_never final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::abort();
		}
	};
};

struct operation {
	std::coroutine_handle<> handle;
};

static int interest_list, source;
static void
	*volatile forgotten; /* without it a compiler leaves out coroutines that nobody can resume */

struct held {
	bool await_ready() const
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle) const
	{
		epoll_event event{};

		event.events = EPOLLIN;
		event.data.ptr = new operation{handle};
		epoll_ctl(interest_list, EPOLL_CTL_ADD, source, &event);
	}
	void await_resume() const
	{
	}
};

struct lost {
	bool await_ready() const
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle) const
	{
		forgotten = handle.address();
		forgotten = nullptr;
	}
	void await_resume() const
	{
	}
};

static task wait_for_event()
{
	co_await held{};
}

static task wait_for_nothing()
{
	co_await lost{};
}

/* What a call leaves on the stack would lead to the coroutines. */
__attribute__((noinline)) static void clear_stack()
{
	volatile char bytes[65536];
	unsigned i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = 0;
}

__attribute__((noinline)) static void start()
{
	int i;

	for (i = 0; i < NR_EACH; i++) {
		source = eventfd(0, EFD_CLOEXEC);
		wait_for_event();
		wait_for_nothing();
	}
}

int main()
{
	epoll_event event;

	interest_list = epoll_create1(EPOLL_CLOEXEC);
	start();
	clear_stack();
	std::printf("{\"each\": %d}\n", NR_EACH);
	std::fflush(stdout);
	while (epoll_wait(interest_list, &event, 1, -1) >= 0)
		static_cast<operation *>(event.data.ptr)->handle.resume();
	return 0;
}
