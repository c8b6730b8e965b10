/* SPDX-License-Identifier: MIT */
/*
 * The promises of Asio's awaitable, traced: a part of corotracer/asio.h and corotracer/boost_asio.h, each of which
 * includes this header once, with COROTRACER_ASIO (the library's namespace) and COROTRACER_ASIO_PROMISES (our
 * namespace) defined.
 *
 * Asio makes three kinds of coroutines of awaitable<T, Executor>: the user's coroutines; one for each operation that is
 * awaited with use_awaitable; and one at the bottom of each co_spawn. The user's coroutines are traced. An operation's
 * coroutine is not traced: it passes on which coroutine awaits it, so that the awaiting coroutine's wait is recorded
 * with what it is for. The coroutine at the bottom only waits for the user's.
 */

namespace corotracer::detail::COROTRACER_ASIO_PROMISES
{

namespace lib = COROTRACER_ASIO;

template <class Result, class Executor> class frame;

/*
 * Returns the frame that an awaitable owns. Asio has no function for this; an awaitable consists of only the pointer.
 */
template <class Result, class Executor>
frame<Result, Executor> &frame_of(const lib::awaitable<Result, Executor> &awaitable) noexcept
{
	lib::detail::awaitable_frame<Result, Executor> *held;

	static_assert(sizeof(awaitable) == sizeof(held), "corotracer: an awaitable is one pointer");
	__builtin_memcpy(&held, &awaitable, sizeof(held));
	return static_cast<frame<Result, Executor> &>(*held);
}

/*
 * An awaitable as the operand of co_await: if it is a coroutine, a wait for its end; if it is an operation, the wait's
 * resource is not known yet.
 */
template <class Result, class Executor> class awaited
{
      public:
	awaited(lib::awaitable<Result, Executor> awaitable, const location &where)
	    : awaitable_(static_cast<lib::awaitable<Result, Executor> &&>(awaitable)), where_(where)
	{
	}
	bool await_ready() const noexcept
	{
		return awaitable_.await_ready();
	}
	template <class Promise> void await_suspend(std::coroutine_handle<Promise> handle)
	{
		using library_frame = typename Promise::corotracer_library_frame;
		asio_operation::role &role = frame_of(awaitable_);

		role.waiter = ctp_current();
		role.awaited_at = where_;
		awaitable_.await_suspend(lib::detail::coroutine_handle<library_frame>::from_address(
			handle.address()));
	}
	Result await_resume()
	{
		return awaitable_.await_resume();
	}
	std::uint64_t corotracer_resource() const noexcept
	{
		frame<Result, Executor> &child = frame_of(awaitable_);

		if (static_cast<asio_operation::role &>(child).is_operation)
			return 0;
		return corotracer::child(
			std::coroutine_handle<frame<Result, Executor>>::from_promise(child));
	}

      private:
	lib::awaitable<Result, Executor> awaitable_;
	location where_;
};

/* The library's promise, which also tells an awaitable where it is awaited. */
template <class Result, class Executor>
class frame : public lib::detail::awaitable_frame<Result, Executor>, public asio_operation::role
{
	using base = lib::detail::awaitable_frame<Result, Executor>;

      public:
	using corotracer_library_frame = base;
	using base::await_transform;

	template <class Other>
	awaited<Other, Executor> await_transform(
		lib::awaitable<Other, Executor> awaitable, const location &place)
	{
		return {base::await_transform(
				static_cast<lib::awaitable<Other, Executor> &&>(awaitable)),
			place};
	}
};

/*
 * The only thing that an operation's coroutine awaits: a function that starts the operation. Before the function
 * returns, another thread may have run the coroutine to its end: nothing in the coroutine's frame, which contains this
 * object, is touched again.
 */
template <class Function, bool is_giving_way> class starter
{
      public:
	starter(const asio_operation::role &role, Function &&function)
	    : role_(&role), function_(static_cast<Function &&>(function))
	{
	}
	template <class Frame> __attribute__((noinline)) auto operator()(Frame *frame)
	{
		asio_operation::initiation initiation(*role_);

		if constexpr (is_giving_way)
			initiation.tell_way_given();
		return function_(frame);
	}

      private:
	const asio_operation::role *role_;
	Function function_;
};

/* The promise of an operation's coroutine. */
template <class Result, class Executor, class Initiation>
class operation : public frame<Result, Executor>
{
      public:
	operation() noexcept
	{
		this->is_operation = true;
	}

	template <class Function> auto await_transform(Function function)
	{
		using start = starter<Function,
			asio_operation::is_giving_way(type_spelling<Initiation>())>;

		return frame<Result, Executor>::await_transform(
			start(*this, static_cast<Function &&>(function)));
	}
};

/*
 * The promise of a function's coroutine. The coroutine that co_spawn puts at the bottom has the library's own promise:
 * its result is a type of the library, which no coroutine of the user's can have, whatever parameters a version gives
 * it.
 */
template <class Result, class Executor>
using promise_of = std::conditional_t<asio_operation::is_bottom(type_spelling<Result>()),
	lib::detail::awaitable_frame<Result, Executor>, traced<frame<Result, Executor>>>;

} /* namespace corotracer::detail::COROTRACER_ASIO_PROMISES */

template <class Result, class Executor>
struct corotracer::wait_traits<
	corotracer::detail::COROTRACER_ASIO_PROMISES::awaited<Result, Executor>> {
	static constexpr std::string_view name = "awaitable";
};

/* More specialised than the library's own, which leaves the parameters open. */
template <class Result, class Executor>
struct std::coroutine_traits<COROTRACER_ASIO::awaitable<Result, Executor>> {
	using promise_type = corotracer::traced<
		corotracer::detail::COROTRACER_ASIO_PROMISES::frame<Result, Executor>>;
};

template <class Result, class Executor, class First, class... Rest>
struct std::coroutine_traits<COROTRACER_ASIO::awaitable<Result, Executor>, First, Rest...> {
	using promise_type =
		corotracer::detail::COROTRACER_ASIO_PROMISES::promise_of<Result, Executor>;
};

template <class Result, class Executor, class Initiation, class TokenExecutor, class... Rest>
struct std::coroutine_traits<COROTRACER_ASIO::awaitable<Result, Executor>, Initiation,
	COROTRACER_ASIO::use_awaitable_t<TokenExecutor>, Rest...> {
	using promise_type = corotracer::detail::COROTRACER_ASIO_PROMISES::operation<Result,
		Executor, Initiation>;
};

/*
 * The coroutine that co_spawn puts at the bottom, in versions in which its result is not a type of the library (1.18).
 */
template <class Executor, class Spawned, class Function, class Handler>
struct std::coroutine_traits<COROTRACER_ASIO::awaitable<void, Executor>,
	COROTRACER_ASIO::awaitable<Spawned, Executor> *, Executor, Function, Handler> {
	using promise_type = COROTRACER_ASIO::detail::awaitable_frame<void, Executor>;
};
