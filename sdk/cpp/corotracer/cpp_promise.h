/* SPDX-License-Identifier: MIT */
/*
 * Compile-time questions of traced<Promise> about a promise type: a part of coroTracer.h. Nothing here writes an event.
 */
#ifndef COROTRACER_CPP_PROMISE_H
#define COROTRACER_CPP_PROMISE_H

#include <type_traits>
#include <utility>

#include "corotracer/cpp_wait.h"

namespace corotracer
{
namespace detail
{

struct no_mixin {
};

/* Whether a class has a member of this name at all, even if overloaded, deleted or inaccessible. */
struct await_transform_name {
	int await_transform;
};
template <class Promise> struct with_await_transform_name : Promise, await_transform_name {
};
template <class Promise>
concept has_await_transform = !requires
{
	&with_await_transform_name<Promise>::await_transform;
};

/*
 * Whether the user's own await_transform takes the operand; one that takes a source location gets that of the co_await.
 */
template <class Promise, class Operand>
concept transforms_at = requires(Promise &promise, Operand &&operand, const location &where)
{
	promise.await_transform(static_cast<Operand &&>(operand), where);
};
template <class Promise, class Operand>
concept transforms = requires(Promise &promise, Operand &&operand)
{
	promise.await_transform(static_cast<Operand &&>(operand));
};

template <class Promise, class Operand> consteval bool is_transform_noexcept() noexcept
{
	if constexpr (transforms_at<Promise, Operand>)
		return noexcept(std::declval<Promise &>().await_transform(
			std::declval<Operand>(), std::declval<const location &>()));
	else
		return noexcept(std::declval<Promise &>().await_transform(std::declval<Operand>()));
}

template <class Promise, class Operand> struct transformed_operand {
	Promise &promise;
	Operand &&operand;
	const location &where;

	COROTRACER_INLINE decltype(auto) operator()() const
		noexcept(is_transform_noexcept<Promise, Operand>())
	{
		if constexpr (transforms_at<Promise, Operand>)
			return promise.await_transform(static_cast<Operand &&>(operand), where);
		else
			return promise.await_transform(static_cast<Operand &&>(operand));
	}
};

template <class Promise> struct initial_suspension {
	Promise &promise;

	COROTRACER_INLINE decltype(auto) operator()() const
		noexcept(noexcept(promise.initial_suspend()))
	{
		return promise.initial_suspend();
	}
};

template <class Promise> struct final_suspension {
	Promise &promise;

	COROTRACER_INLINE decltype(auto) operator()() const noexcept
	{
		return promise.final_suspend();
	}
};

template <class Promise, class Value> struct yielded_value {
	Promise &promise;
	Value &&value;

	COROTRACER_INLINE decltype(auto) operator()() const
		noexcept(noexcept(promise.yield_value(static_cast<Value &&>(value))))
	{
		return promise.yield_value(static_cast<Value &&>(value));
	}
};

/* The parameter type of a promise's yield_value, if there is exactly one: the type that `co_yield {...}` makes. */
template <class Function> struct parameter_of {
};
template <class Result, class Class, class Parameter, bool is_noexcept>
struct parameter_of<Result (Class::*)(Parameter) noexcept(is_noexcept)> {
	using type = Parameter;
};
template <class Result, class Class, class Parameter, bool is_noexcept>
struct parameter_of<Result (Class::*)(Parameter) const noexcept(is_noexcept)> {
	using type = Parameter;
};
template <class Result, class Class, class Parameter, bool is_noexcept>
struct parameter_of<Result (Class::*)(Parameter) &noexcept(is_noexcept)> {
	using type = Parameter;
};

struct not_yieldable {
};
template <class Promise> struct yielded_by {
	using type = not_yieldable;
};
template <class Promise>
requires requires
{
	typename parameter_of<decltype(&Promise::yield_value)>::type;
}
struct yielded_by<Promise> {
	using type = typename parameter_of<decltype(&Promise::yield_value)>::type;
};

template <class Value, class Promise>
concept yielded_to = requires(Promise &promise, Value &&value)
{
	promise.yield_value(static_cast<Value &&>(value));
};

/* A promise with its own await_transform decides what may be awaited in its coroutines. */
template <class Operand, class Promise>
concept awaited_in = !has_await_transform<Promise> || transforms<Promise, Operand>;

} /* namespace detail */
} /* namespace corotracer */

#endif
