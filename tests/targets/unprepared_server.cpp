// SPDX-License-Identifier: MIT
// A server that nobody prepared: coroutines of C++20 on epoll, no probe. Each client that sends a line gets it back. At
// the start the server prints where it listens, and the lines of its source that matter, as JSON on one line:
// {"port": 40001, "read": 119, "close": 150}.
//
// A client can order a fault, and gets "done" once it is there:
//   close   the descriptors of all other sessions are closed, and nobody tells the sessions
//   reuse   the same, and then files are opened, which get their numbers
//   forget  all other sessions are taken out of the interest list
//   deaf    reports for all other sessions are dropped
//   end     abort()
#include <arpa/inet.h>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <map>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace
{

int poll_set;
bool is_deaf;
int ordered_by = -1, listener_fd = -1, signal_fd = -1;
std::map<int, std::coroutine_handle<>> waiting; // by descriptor

struct Session {
	struct promise_type {
		std::exception_ptr failure;
		std::coroutine_handle<> innermost; // not resumed by this one
		Session get_return_object()
		{
			return {};
		}
		std::suspend_never initial_suspend() noexcept
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
			failure = std::current_exception();
		}
	};
};

struct AsyncAccept {
	int fd;
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		waiting[fd] = handle;
	}
	int await_resume()
	{
		return accept4(fd, nullptr, nullptr, SOCK_NONBLOCK);
	}
};

struct AsyncRead {
	int fd;
	char *buffer;
	size_t room;
	ssize_t got = -1;
	bool await_ready()
	{
		got = read(fd, buffer, room);
		return got >= 0;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		waiting[fd] = handle;
	}
	ssize_t await_resume()
	{
		return got >= 0 ? got : read(fd, buffer, room);
	}
};

void watch(int fd)
{
	epoll_event event{};
	event.events = EPOLLIN | EPOLLET;
	event.data.fd = fd;
	epoll_ctl(poll_set, EPOLL_CTL_ADD, fd, &event);
}

void answer(int fd, const std::string &text)
{
	if (write(fd, text.data(), text.size()) < 0)
		std::abort();
}

void obey(int fd, const std::string &order);

constexpr int read_line = __LINE__ + 6;
Session serve(int fd)
{
	char buffer[64];
	watch(fd);
	for (;;) {
		ssize_t got = co_await AsyncRead{fd, buffer, sizeof(buffer)};
		if (got <= 0)
			break;
		obey(fd, std::string(buffer, static_cast<size_t>(got)));
	}
	close(fd);
}

Session listen_for_ever(int fd)
{
	watch(fd);
	for (;;) {
		int client = co_await AsyncAccept{fd};
		while (client >= 0) {
			serve(client);
			client = accept4(fd, nullptr, nullptr, SOCK_NONBLOCK);
		}
	}
}

// What one session awaits. Its end resumes the session.
struct Part {
	struct promise_type {
		std::exception_ptr failure;
		std::coroutine_handle<> outer;
		Part get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		auto final_suspend() noexcept
		{
			struct Outer {
				bool await_ready() noexcept
				{
					return false;
				}
				auto await_suspend(
					std::coroutine_handle<promise_type> handle) noexcept
				{
					return handle.promise().outer;
				}
				void await_resume() noexcept
				{
				}
			};
			return Outer{};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			failure = std::current_exception();
		}
	};
	std::coroutine_handle<promise_type> handle;
	bool await_ready()
	{
		return false;
	}
	auto await_suspend(std::coroutine_handle<Session::promise_type> outer)
	{
		handle.promise().outer = outer;
		outer.promise().innermost = handle;
		return handle;
	}
	void await_resume()
	{
		handle.destroy();
	}
};

Part wait_for_signal(int fd)
{
	char number[8];
	co_await AsyncRead{fd, number, sizeof(number)};
}

Session watch_signals(int fd)
{
	watch(fd);
	for (;;)
		co_await wait_for_signal(fd);
}

bool is_idle(int fd)
{
	return fd != ordered_by && fd != listener_fd && fd != signal_fd;
}

constexpr int close_line = __LINE__ + 5;
void drop_idle(bool reuses)
{
	for (auto [fd, handle] : waiting)
		if (is_idle(fd))
			close(fd);
	for (auto [fd, handle] : waiting)
		if (reuses && is_idle(fd))
			open("/dev/null", O_RDONLY);
}

void forget()
{
	for (auto [fd, handle] : waiting)
		if (is_idle(fd))
			epoll_ctl(poll_set, EPOLL_CTL_DEL, fd, nullptr);
}

void obey(int fd, const std::string &order)
{
	ordered_by = fd;
	if (order == "close\n" || order == "reuse\n")
		drop_idle(order == "reuse\n");
	else if (order == "forget\n")
		forget();
	else if (order == "deaf\n")
		is_deaf = true;
	else if (order == "end\n")
		std::abort();
	else
		return answer(fd, order);
	answer(fd, "done\n");
}

int listen_somewhere()
{
	sockaddr_in address{};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, reinterpret_cast<sockaddr *>(&address), length) || listen(fd, 100) ||
		getsockname(fd, reinterpret_cast<sockaddr *>(&address), &length))
		std::abort();
	std::printf("{\"port\": %d, \"read\": %d, \"close\": %d}\n", ntohs(address.sin_port),
		read_line, close_line);
	std::fflush(stdout);
	return fd;
}

void report(int fd)
{
	auto found = waiting.find(fd);
	if (found == waiting.end() || (is_deaf && is_idle(fd)))
		return;
	auto handle = found->second;
	waiting.erase(found);
	handle.resume();
}

} // namespace

int main()
{
	poll_set = epoll_create1(0);
	listener_fd = listen_somewhere();
	listen_for_ever(listener_fd);
	signal_fd = eventfd(0, EFD_NONBLOCK);
	watch_signals(signal_fd);
	for (;;) {
		epoll_event events[16];
		int count = epoll_wait(poll_set, events, 16, -1);
		for (int i = 0; i < count; i++)
			report(events[i].data.fd);
	}
}
