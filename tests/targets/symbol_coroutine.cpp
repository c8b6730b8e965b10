// SPDX-License-Identifier: MIT
//
// Coroutines of several shapes, for the test of the symbol reader: prints for each the first word of
// its frame, which is the address of the function that resumes it, and the name that a reader should
// see; then its own memory map. Built with each compiler at -O0 and -O2.
#include <coroutine>
#include <cstdio>

namespace shapes
{

struct Task {
	struct promise_type {
		Task get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() noexcept
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
	std::coroutine_handle<promise_type> handle;
};

template <class Type> struct Box {
	Type value;

	Task serve(Type more) const
	{
		co_await std::suspend_always{};
		std::printf("# %d\n", static_cast<int>(value + more));
	}
};

// Not to be folded into main: then there would be no function to name.
[[gnu::noinline]] static Task local(const char *text)
{
	co_await std::suspend_always{};
	std::printf("# %s\n", text);
}

} // namespace shapes

[[gnu::noinline]] shapes::Task handle_connection(int fd)
{
	co_await std::suspend_always{};
	std::printf("# %d\n", fd);
}

// What GCC calls its own argument, the program may call something of its own.
[[gnu::noinline]] shapes::Task share(const shapes::Box<char> *frame_ptr)
{
	co_await std::suspend_always{};
	std::printf("# %d\n", frame_ptr->value);
}

static void tell(shapes::Task task, const char *name)
{
	void *const *frame = static_cast<void *const *>(task.handle.address());

	std::printf("%p %s\n", frame[0], name);
	task.handle.resume();
	task.handle.resume();
	task.handle.destroy();
}

static void tell_maps()
{
	std::FILE *maps = std::fopen("/proc/self/maps", "r");
	char line[4096];

	while (maps && std::fgets(line, sizeof(line), maps))
		std::fputs(line, stdout);
	if (maps)
		std::fclose(maps);
}

int main()
{
	shapes::Box<long> box{1};
	const shapes::Box<char> small{2};

	tell(handle_connection(3), "handle_connection(int)");
	tell(shapes::local("text"), "shapes::local(char const*)");
	tell(box.serve(2), "shapes::Box<long>::serve(long) const");
	tell(share(&small), "share(shapes::Box<char> const*)");
	tell_maps();
	return 0;
}
