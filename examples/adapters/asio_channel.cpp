/* SPDX-License-Identifier: MIT */
/*
 * Asio, traced by its adapter: many senders on one channel, and a reader.
 *
 * usage: example-asio-channel [close|leave]
 *
 * close: the reader closes the channel under the senders; leave: the reader returns, and nobody reads any more. The
 * senders that wait then wait for ever, and so does the program. Without a word, all is read, and the program ends.
 */
#include "corotracer/asio.h" /* the one line: before any header of Asio */

#include <asio.hpp>
#include <asio/experimental/channel.hpp>

#include <cstdio>
#include <string_view>

namespace
{

constexpr int nr_senders = 60;
constexpr int nr_read = 10;

using channel = asio::experimental::channel<void(asio::error_code, int)>;

asio::awaitable<void> send(channel &orders, int number)
{
	co_await orders.async_send(asio::error_code(), number, asio::use_awaitable);
}

asio::awaitable<void> read(channel &orders, std::string_view fault)
{
	int nr_wanted = fault.empty() ? nr_senders : nr_read;

	for (int i = 0; i < nr_wanted; i++)
		co_await orders.async_receive(asio::use_awaitable);
	if (fault == "close")
		orders.close();
}

} /* namespace */

int main(int argc, char **argv)
{
	std::string_view fault = argc > 1 ? argv[1] : "";
	asio::io_context context(1);
	channel orders(context, 0);

	asio::co_spawn(context, read(orders, fault), asio::detached);
	for (int i = 0; i < nr_senders; i++)
		asio::co_spawn(context, send(orders, i), asio::detached);
	context.run();
	std::puts("all sent");
	return 0;
}
