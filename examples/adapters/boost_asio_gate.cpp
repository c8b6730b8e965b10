/* SPDX-License-Identifier: MIT */
/*
 * Boost.Asio, traced by its adapter: visitors wait at a gate, an asynchronous operation of this program's own, and a
 * guard opens it.
 *
 * usage: example-boost-asio-gate [lose]
 *
 * lose: a visitor looks whether the gate is open, shows its ticket, and then waits without another look. The gate was
 * opened meanwhile, and the visitor waits for ever.
 */
#include "corotracer/boost_asio.h" /* the one line: before any header of Boost.Asio */

#include <boost/asio.hpp>

#include <cstdio>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace
{

namespace asio = boost::asio;

constexpr int nr_visitors = 20;

/* All on one thread. */
class Gate
{
      public:
	explicit Gate(asio::io_context &context) : context_(context)
	{
	}
	asio::io_context &context() const
	{
		return context_;
	}
	bool is_open() const
	{
		return is_open_;
	}
	void open()
	{
		is_open_ = true;
		for (std::function<void()> &enter : std::exchange(waiting_, {}))
			enter();
	}

	/* Completes when the gate is opened, and not before. */
	auto async_opened()
	{
		auto initiate = [this](auto &&handler) {
			using Handler = std::decay_t<decltype(handler)>;
			auto kept = std::make_shared<Handler>(std::move(handler));

			waiting_.push_back(
				[this, kept] { asio::post(context_, std::move(*kept)); });
		};

		return asio::async_initiate<const asio::use_awaitable_t<> &, void()>(
			initiate, asio::use_awaitable);
	}

      private:
	asio::io_context &context_;
	bool is_open_ = false;
	std::vector<std::function<void()>> waiting_;
};

asio::awaitable<void> show_ticket(Gate &gate)
{
	co_await asio::post(gate.context(), asio::use_awaitable);
}

asio::awaitable<void> visit(Gate &gate, bool loses, int &nr_inside)
{
	bool is_open = gate.is_open();

	co_await show_ticket(gate);
	if (!loses)
		is_open = gate.is_open();
	if (!is_open)
		co_await gate.async_opened();
	nr_inside++;
}

asio::awaitable<void> guard(Gate &gate)
{
	gate.open();
	co_return;
}

} /* namespace */

int main(int argc, char **argv)
{
	bool loses = argc > 1 && std::string_view(argv[1]) == "lose";
	int nr_inside = 0;
	asio::io_context context(1);
	Gate gate(context);

	for (int i = 0; i < nr_visitors; i++)
		asio::co_spawn(context, visit(gate, loses, nr_inside), asio::detached);
	asio::co_spawn(context, guard(gate), asio::detached);
	context.run();
	std::printf("%d inside\n", nr_inside);
	return nr_inside == nr_visitors ? 0 : 1;
}
