// SPDX-License-Identifier: MIT
// A program that nobody prepared, whose coroutines wait for objects of its own: a channel in which messages lie, a gate
// that is awaited itself, a lock that a thread has. The output is "{}"; it ends when it is killed.
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "unprepared_task.h"

enum class Kind { narrow, wide };

struct Limits {
	unsigned room = 16;
	Kind kind = Kind::wide;
};

template <typename T> class Channel
{
      public:
	struct Receive {
		Channel *channel;
		int attempts;

		bool await_ready()
		{
			return attempts < 0;
		}
		void await_suspend(std::coroutine_handle<> handle)
		{
			channel->receivers_.push_back(handle);
		}
		T await_resume()
		{
			return channel->messages_.front();
		}
	};

	Receive receive(int attempts)
	{
		return Receive{this, attempts};
	}
	void put(T message)
	{
		messages_.push_back(message);
		last_ = message;
	}
	void close()
	{
		closed_ = true;
	}
	std::mutex &lock()
	{
		return mutex_;
	}

      private:
	std::mutex mutex_;
	std::deque<T> messages_;
	std::vector<std::coroutine_handle<>> receivers_;
	std::list<int> senders_;
	std::atomic<bool> closed_{false};
	std::optional<T> last_;
	std::string name_ = "orders";
	std::unique_ptr<int> spare_;
	Limits limits_;
};

struct Gate {
	std::atomic<int> state{3};
	std::coroutine_handle<> waiter;

	bool await_ready()
	{
		return state == 0;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		waiter = handle;
	}
	void await_resume()
	{
	}
};

Task consume(Channel<long> &channel, int attempts)
{
	long got = co_await channel.receive(attempts);

	std::printf("%ld\n", got);
}

struct Lease {
	Channel<long> *channel;
	int days;
};

Task enter(Gate &gate, Channel<long> &channel)
{
	Lease lease{&channel, 3};

	co_await gate;
	std::printf("in for %d\n", lease.days);
}

int main()
{
	Channel<long> channel;
	Gate gate;

	for (int i = 0; i < 3; i++)
		consume(channel, i);
	for (int i = 0; i < 200; i++)
		channel.put(i);
	enter(gate, channel);
	channel.close();
	channel.lock().lock();
	std::puts("{}");
	std::fflush(stdout);
	for (;;)
		pause();
}
