/* SPDX-License-Identifier: MIT */
/*
 * Coroutines of Asio without Boost, on four threads: channels with and without room, a timer that never expires and is
 * cancelled to wake its waiters, yields, a pair of sockets. Traced by the adapter. The program is correct: it ends by
 * itself, with status 0 if its sum is right.
 *
 * usage: truth-asio-channels [ROUNDS]
 */
#include "corotracer/asio.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <asio.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/experimental/concurrent_channel.hpp>

namespace
{

using asio::use_awaitable;
using asio::experimental::as_tuple;
using channel = asio::experimental::concurrent_channel<void(asio::error_code, long)>;
using local = asio::local::stream_protocol;

constexpr int nr_threads = 4;
constexpr int nr_pairs = 6;

struct Works {
	explicit Works(asio::io_context &context)
	    : strand(asio::make_strand(context)),
	      opening(strand, asio::steady_timer::time_point::max())
	{
	}

	asio::strand<asio::io_context::executor_type> strand;
	asio::steady_timer opening; /* used only in the strand */
	bool is_open = false;
	std::atomic<long> sum = 0;
	std::atomic<int> nr_left = 2 * nr_pairs;
};

/* Waits until the works are open: the timer is checked and awaited in one turn of the strand. */
asio::awaitable<void> enter(Works &works)
{
	co_await asio::post(works.strand, use_awaitable);
	while (!works.is_open)
		co_await works.opening.async_wait(as_tuple(use_awaitable));
}

asio::awaitable<void> produce(Works &works, channel &items, long rounds)
{
	co_await asio::co_spawn(works.strand, enter(works), use_awaitable);
	for (long i = 0; i < rounds; i++)
		co_await items.async_send(asio::error_code(), i, use_awaitable);
	items.close();
	works.nr_left--;
}

asio::awaitable<void> consume(Works &works, channel &items)
{
	asio::steady_timer pause(co_await asio::this_coro::executor);

	for (long i = 0;; i++) {
		auto [error, value] = co_await items.async_receive(as_tuple(use_awaitable));

		if (error)
			break;
		works.sum += value;
		if (i % 64 == 63) {
			pause.expires_after(std::chrono::microseconds(200));
			co_await pause.async_wait(use_awaitable);
		}
	}
	works.nr_left--;
}

asio::awaitable<void> answer(local::socket socket, long rounds)
{
	std::array<char, 8> bytes;

	for (long i = 0; i < rounds; i++) {
		co_await asio::async_read(socket, asio::buffer(bytes), use_awaitable);
		co_await asio::async_write(socket, asio::buffer(bytes), use_awaitable);
	}
}

asio::awaitable<void> ask(local::socket socket, long rounds)
{
	std::array<char, 8> bytes{};

	for (long i = 0; i < rounds; i++) {
		co_await asio::async_write(socket, asio::buffer(bytes), use_awaitable);
		co_await asio::async_read(socket, asio::buffer(bytes), use_awaitable);
	}
}

asio::awaitable<void> open(Works &works)
{
	asio::steady_timer delay(co_await asio::this_coro::executor, std::chrono::milliseconds(2));

	co_await delay.async_wait(use_awaitable);
	works.is_open = true;
	works.opening.cancel();
}

} /* namespace */

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? std::atol(argv[1]) : 400;
	asio::io_context context(nr_threads);
	std::vector<std::unique_ptr<channel>> channels;
	std::vector<std::thread> threads;
	Works works(context);

	for (std::size_t i = 0; i < nr_pairs; i++) {
		/*
		 * In a channel with room, items that are left when it is closed are lost, so these channels have no
		 * room.
		 */
		channels.push_back(std::make_unique<channel>(context, 0));
		asio::co_spawn(context, consume(works, *channels[i]), asio::detached);
		asio::co_spawn(context, produce(works, *channels[i], rounds), asio::detached);
	}
	local::socket one(context), other(context);
	asio::local::connect_pair(one, other);
	asio::co_spawn(context, ask(std::move(one), rounds), asio::detached);
	asio::co_spawn(context, answer(std::move(other), rounds), asio::detached);
	asio::co_spawn(works.strand, open(works), asio::detached);
	for (int i = 1; i < nr_threads; i++)
		threads.emplace_back([&context] { context.run(); });
	context.run();
	for (std::thread &thread : threads)
		thread.join();
	std::printf("sum %ld\n", works.sum.load());
	return works.nr_left == 0 && works.sum == nr_pairs * (rounds * (rounds - 1) / 2)
		       ? EXIT_SUCCESS
		       : EXIT_FAILURE;
}
