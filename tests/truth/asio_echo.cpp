/* SPDX-License-Identifier: MIT */
/*
 * Coroutines of Boost.Asio on four threads: an echo server, its clients, timers, strands, an acceptor that is closed
 * while a coroutine waits for it. Traced by the adapter. The program is correct: it ends by itself.
 *
 * usage: truth-asio-echo [CLIENTS [ROUNDS]]
 */
#include "corotracer/boost_asio.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio.hpp>

namespace asio = boost::asio;
using asio::use_awaitable;
using asio::ip::tcp;

namespace
{

constexpr int nr_threads = 4;

struct Echo {
	explicit Echo(asio::io_context &context, int nr_clients)
	    : acceptor(asio::make_strand(context), {asio::ip::address_v4::loopback(), 0}),
	      nr_left(nr_clients)
	{
	}

	tcp::acceptor acceptor;
	std::atomic<int> nr_left;
	std::atomic<long> nr_echoed = 0;
};

asio::awaitable<void> serve(Echo &echo, tcp::socket socket)
{
	std::array<char, 256> bytes;

	try {
		for (;;) {
			std::size_t length =
				co_await socket.async_read_some(asio::buffer(bytes), use_awaitable);

			co_await asio::async_write(
				socket, asio::buffer(bytes.data(), length), use_awaitable);
			echo.nr_echoed++;
		}
	} catch (const boost::system::system_error &) {
		/* The client has closed. */
	}
}

asio::awaitable<void> accept(Echo &echo)
{
	try {
		for (;;) {
			tcp::socket socket = co_await echo.acceptor.async_accept(use_awaitable);

			asio::co_spawn(echo.acceptor.get_executor(), serve(echo, std::move(socket)),
				asio::detached);
		}
	} catch (const boost::system::system_error &) {
		/* The last client has closed the acceptor. */
	}
}

asio::awaitable<std::size_t> exchange(tcp::socket &socket, std::size_t length)
{
	std::array<char, 64> bytes{};

	co_await asio::async_write(socket, asio::buffer(bytes.data(), length), use_awaitable);
	std::size_t got = co_await asio::async_read(
		socket, asio::buffer(bytes.data(), length), use_awaitable);
	co_return got;
}

asio::awaitable<void> ask(Echo &echo, int nr_rounds)
{
	asio::any_io_executor executor = co_await asio::this_coro::executor;
	asio::steady_timer timer(executor);
	tcp::socket socket(executor);

	co_await socket.async_connect(echo.acceptor.local_endpoint(), use_awaitable);
	for (int i = 0; i < nr_rounds; i++) {
		co_await exchange(socket, 1 + static_cast<std::size_t>(i) % 60);
		if (i % 50 == 49) {
			timer.expires_after(std::chrono::microseconds(300));
			co_await timer.async_wait(use_awaitable);
		}
		if (i % 20 == 7)
			co_await asio::post(executor, use_awaitable);
	}
	socket.close();
	if (--echo.nr_left == 0)
		asio::post(echo.acceptor.get_executor(), [&echo] { echo.acceptor.close(); });
}

} /* namespace */

int main(int argc, char **argv)
{
	int nr_clients = argc > 1 ? std::atoi(argv[1]) : 30;
	int nr_rounds = argc > 2 ? std::atoi(argv[2]) : 100;
	asio::io_context context(nr_threads);
	std::vector<std::thread> threads;

	Echo echo(context, nr_clients);
	asio::co_spawn(echo.acceptor.get_executor(), accept(echo), asio::detached);
	for (int i = 0; i < nr_clients; i++) {
		if (i % 2 == 0)
			asio::co_spawn(context, ask(echo, nr_rounds), asio::detached);
		else
			asio::co_spawn(
				asio::make_strand(context), ask(echo, nr_rounds), asio::detached);
	}
	for (int i = 1; i < nr_threads; i++)
		threads.emplace_back([&context] { context.run(); });
	context.run();
	for (std::thread &thread : threads)
		thread.join();
	std::printf("%ld echoed\n", echo.nr_echoed.load());
	return echo.nr_left == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
