/* SPDX-License-Identifier: MIT */
/*
 * Places, names and resources in C++: a part of coroTracer.h. The place of a co_await and the awaiter's type are mapped
 * to the number of an interned site. For a place that was met before, that takes one look-up by address: no text is
 * read, and none is ever allocated.
 */
#ifndef COROTRACER_CPP_SITE_H
#define COROTRACER_CPP_SITE_H

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <version>

#include "corotracer/ctp_probe.h"
#include "corotracer/ctp_probe_cold.h"

#ifdef __cpp_lib_source_location
#include <source_location>
#endif

/*
 * COROTRACER_BODY is for functions that the compiler calls in a coroutine's body, COROTRACER_SUSPENDING for those that
 * run around the inner await_suspend. clang lowers a coroutine after inlining, so that variables of await_suspend may
 * end up in the frame, which may be gone after the inner await_suspend: for clang it is therefore not inlined. gcc
 * lowers first, and may inline everything.
 */
#define COROTRACER_INLINE inline __attribute__((always_inline))
#ifdef __clang__
#define COROTRACER_BODY inline
#define COROTRACER_SUSPENDING __attribute__((noinline))
#else
#define COROTRACER_BODY COROTRACER_INLINE
#define COROTRACER_SUSPENDING COROTRACER_INLINE
#endif
#define COROTRACER_COLD __attribute__((cold, noinline))

namespace corotracer
{

/* A place in the source, which the compiler states through a default argument. */
#ifdef __cpp_lib_source_location
using location = std::source_location;
#else
class location
{
      public:
	constexpr location() noexcept = default;
	static constexpr location current(const char *file = __builtin_FILE(),
		const char *function = __builtin_FUNCTION(), std::uint32_t line = __builtin_LINE(),
		std::uint32_t column = __builtin_COLUMN()) noexcept
	{
		return location(file, function, line, column);
	}
	constexpr const char *file_name() const noexcept
	{
		return file_;
	}
	constexpr const char *function_name() const noexcept
	{
		return function_;
	}
	constexpr std::uint32_t line() const noexcept
	{
		return line_;
	}
	constexpr std::uint32_t column() const noexcept
	{
		return column_;
	}

      private:
	constexpr location(const char *file, const char *function, std::uint32_t line,
		std::uint32_t column) noexcept
	    : file_(file), function_(function), line_(line), column_(column)
	{
	}
	const char *file_ = "";
	const char *function_ = "";
	std::uint32_t line_ = 0;
	std::uint32_t column_ = 0;
};
#endif

/*
 * Resource handles: what a coroutine waits for, as one word. A wait trait returns such a handle. Addresses and numbers
 * need not be valid: they are compared, never followed.
 */
COROTRACER_INLINE std::uint64_t resource(ctp_resource kind, std::uint64_t identity) noexcept
{
	return CTP_HANDLE(kind, identity);
}

COROTRACER_INLINE std::uint64_t resource(ctp_resource kind, const void *address) noexcept
{
	return CTP_HANDLE(kind, reinterpret_cast<std::uintptr_t>(address));
}

COROTRACER_INLINE std::uint64_t descriptor(int fd) noexcept
{
	return CTP_DESCRIPTOR(fd, 0);
}

COROTRACER_INLINE std::uint64_t lock(const void *address) noexcept
{
	return resource(CTP_RESOURCE_LOCK, address);
}

COROTRACER_INLINE std::uint64_t condition(const void *address) noexcept
{
	return resource(CTP_RESOURCE_CONDITION, address);
}

COROTRACER_INLINE std::uint64_t channel(const void *address) noexcept
{
	return resource(CTP_RESOURCE_CHANNEL, address);
}

COROTRACER_INLINE std::uint64_t semaphore(const void *address) noexcept
{
	return resource(CTP_RESOURCE_SEMAPHORE, address);
}

COROTRACER_INLINE std::uint64_t event(const void *address) noexcept
{
	return resource(CTP_RESOURCE_EVENT, address);
}

COROTRACER_INLINE std::uint64_t timer(std::uint64_t number) noexcept
{
	return resource(CTP_RESOURCE_TIMER, number);
}

COROTRACER_INLINE std::uint64_t queue(std::uint64_t number) noexcept
{
	return resource(CTP_RESOURCE_QUEUE, number);
}

COROTRACER_INLINE std::uint64_t other(std::uint64_t number) noexcept
{
	return resource(CTP_RESOURCE_OTHER, number);
}

/* frame, child: the coroutine whose frame is at this address; nothing in the frame is read. */
COROTRACER_INLINE std::uint64_t frame(const void *address) noexcept
{
	return resource(CTP_RESOURCE_FRAME, address);
}

COROTRACER_INLINE std::uint64_t child(std::coroutine_handle<> handle) noexcept
{
	return frame(handle.address());
}

/*
 * wait_traits: specialise it for an awaiter (or for what is awaited) to say what the wait is for.
 *
 *	template <> struct corotracer::wait_traits<AsyncRead> {
 *		static std::uint64_t resource(const AsyncRead &read) noexcept
 *		{
 *			return corotracer::descriptor(read.fd);
 *		}
 *		static constexpr std::string_view name = "read";   // optional; else the type's name
 *	};
 *
 * Instead, the awaiter may have a member `std::uint64_t corotracer_resource() const noexcept`. The function is called
 * before await_suspend, and only while attached.
 *
 * In the same two ways, `deadline` or `corotracer_deadline` returns when a wait ends by itself: CLOCK_MONOTONIC in
 * nanoseconds. An awaiter that waits for nothing, but lets other coroutines run first, has `static constexpr bool
 * yields = true`, or `corotracer_yields`.
 */
template <class Awaiter> struct wait_traits {
};

namespace detail
{

/*
 * The names of types. gcc and clang spell a type differently; the part that is equal in both is kept: the qualified
 * name without unnamed namespaces and without namespaces of the implementation (__x::).
 */
template <class Type> constexpr std::string_view type_spelling() noexcept
{
	constexpr std::string_view text = __PRETTY_FUNCTION__;
	constexpr std::size_t equals = text.find("Type = ");
	constexpr std::size_t start = equals + 7;
	/* gcc continues with the meaning of string_view: "[with Type = X; std::string_view = ...]" */
	constexpr std::size_t more = text.find("; std::string_view = ", start);
	constexpr std::size_t end = more != std::string_view::npos ? more : text.rfind(']');

	return text.substr(start, end - start);
}

constexpr bool is_name_character(char c) noexcept
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Returns the length of a qualifier at the start of `rest` that is left out of names, or 0. */
constexpr std::size_t dropped_qualifier(std::string_view rest) noexcept
{
	constexpr std::string_view unnamed[] = {"{anonymous}::", "(anonymous namespace)::"};
	std::size_t length = 0;

	for (std::string_view text : unnamed) {
		if (rest.substr(0, text.size()) == text)
			return text.size();
	}
	if (rest.substr(0, 2) != "__")
		return 0;
	while (length < rest.size() && is_name_character(rest[length]))
		length++;
	return rest.substr(length, 2) == "::" ? length + 2 : 0;
}

template <std::size_t Size> struct fixed_text {
	char text[Size + 1] = {};
	std::size_t length = 0;
};

template <class Type> constexpr auto make_type_name() noexcept
{
	constexpr std::string_view spelling = type_spelling<Type>();
	fixed_text<spelling.size()> name;
	bool at_start = true;

	for (std::size_t i = 0; i < spelling.size(); i++) {
		std::size_t dropped = at_start ? dropped_qualifier(spelling.substr(i)) : 0;

		if (dropped > 0) {
			i += dropped - 1;
			continue;
		}
		if (spelling[i] == ' ' && spelling.substr(i, 2) == " >")
			continue;
		name.text[name.length++] = spelling[i];
		at_start = !is_name_character(spelling[i]);
	}
	return name;
}

template <class Type> inline constexpr auto type_name_text = make_type_name<Type>();
template <class Type>
inline constexpr std::string_view type_name{type_name_text<Type>.text, type_name_text<Type>.length};

template <class Type>
concept has_resource_trait = requires(const Type &value)
{
	wait_traits<Type>::resource(value);
};
template <class Type>
concept has_resource_member = requires(const Type &value)
{
	value.corotracer_resource();
};
template <class Type>
concept has_name_trait = requires
{
	std::string_view(wait_traits<Type>::name);
};
template <class Type>
concept tells_resource = has_resource_trait<Type> || has_resource_member<Type>;

template <class Type> COROTRACER_INLINE std::uint64_t resource_of(const Type &value) noexcept
{
	if constexpr (has_resource_trait<Type>) {
		static_assert(noexcept(wait_traits<Type>::resource(value)),
			"corotracer: wait_traits<...>::resource must be noexcept");
		return wait_traits<Type>::resource(value);
	} else {
		static_assert(noexcept(value.corotracer_resource()),
			"corotracer: corotracer_resource must be noexcept");
		return value.corotracer_resource();
	}
}

template <class Type>
concept has_deadline_trait = requires(const Type &value)
{
	wait_traits<Type>::deadline(value);
};
template <class Type>
concept has_deadline_member = requires(const Type &value)
{
	value.corotracer_deadline();
};
template <class Type>
concept tells_deadline = has_deadline_trait<Type> || has_deadline_member<Type>;

template <class Type> COROTRACER_INLINE std::uint64_t deadline_of(const Type &value) noexcept
{
	if constexpr (has_deadline_trait<Type>) {
		static_assert(noexcept(wait_traits<Type>::deadline(value)),
			"corotracer: wait_traits<...>::deadline must be noexcept");
		return wait_traits<Type>::deadline(value);
	} else {
		static_assert(noexcept(value.corotracer_deadline()),
			"corotracer: corotracer_deadline must be noexcept");
		return value.corotracer_deadline();
	}
}

template <class Type> constexpr bool is_yield() noexcept
{
	if constexpr (requires { wait_traits<Type>::yields; })
		return wait_traits<Type>::yields;
	else if constexpr (requires { Type::corotracer_yields; })
		return Type::corotracer_yields;
	else
		return false;
}

template <class Awaitable, class Awaiter> constexpr std::string_view reason_text() noexcept
{
	if constexpr (has_name_trait<Awaitable>)
		return wait_traits<Awaitable>::name;
	else if constexpr (has_name_trait<Awaiter>)
		return wait_traits<Awaiter>::name;
	else
		return type_name<Awaitable>;
}

/* There is one object per reason: its address is a part of the site's key. */
template <class Awaitable, class Awaiter>
inline constexpr std::string_view reason = reason_text<Awaitable, Awaiter>();

/* A key that distinguishes places without reading any text. */
struct place_key {
	const void *place;
	std::uint64_t position;
};

#ifdef __cpp_lib_source_location
static_assert(sizeof(location) == sizeof(const void *) && std::is_trivially_copyable_v<location>,
	"std::source_location is one pointer to a constant of the compiler");

COROTRACER_INLINE place_key key_of(const location &where) noexcept
{
	return {__builtin_bit_cast(const void *, where), 0};
}
#else
COROTRACER_INLINE place_key key_of(const location &where) noexcept
{
	return {where.file_name(),
		(static_cast<std::uint64_t>(where.line()) << 32) | where.column()};
}
#endif

constexpr bool ends_with(std::string_view text, std::string_view end) noexcept
{
	return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/* Returns where the name ends: before the parameters, and before what may follow them. */
constexpr std::size_t end_of_name(std::string_view text) noexcept
{
	constexpr std::string_view qualifiers[] = {" const", " volatile", " &", " &&", " noexcept"};
	std::size_t end = text.find(" [with ");
	int depth = 0;

	text = text.substr(0, end);
	for (std::string_view qualifier : qualifiers) {
		if (ends_with(text, qualifier))
			text.remove_suffix(qualifier.size());
	}
	end = text.size();
	if (!ends_with(text, ")"))
		return end;
	do {
		end--;
		depth += text[end] == ')' ? 1 : text[end] == '(' ? -1 : 0;
	} while (depth > 0 && end > 0);
	/* "operator()" by itself, which is a name */
	return ends_with(text.substr(0, end), "operator") ? text.size() : end;
}

/* Returns where the name begins: after the result's type. */
constexpr std::size_t start_of_name(std::string_view text) noexcept
{
	std::size_t start = text.size();
	int depth = 0;

	for (; start > 0; start--) {
		char c = text[start - 1];

		depth += c == ')' || c == '>' ? 1 : c == '(' || c == '<' ? -1 : 0;
		if (c == ' ' && depth == 0 && !ends_with(text.substr(0, start - 1), "operator"))
			break;
	}
	return start;
}

/*
 * gcc spells a function with its result and parameters, "task serve(int)", and sometimes a coroutine's body by its
 * lowered form, "void serve(serve(int)::_Z5servei.Frame*)". Returns the name alone.
 */
constexpr std::string_view plain_function_name(std::string_view text) noexcept
{
	text = text.substr(0, end_of_name(text));
	return text.substr(start_of_name(text));
}

/* Copies a text with a NUL at its end, cut if it is too long. */
inline void copy_text(std::string_view text, char *buffer, std::size_t size) noexcept
{
	std::size_t length = text.size() < size ? text.size() : size - 1;

	for (std::size_t i = 0; i < length; i++)
		buffer[i] = text[i];
	buffer[length] = '\0';
}

/* `reason_key`: the key by which the site is found again, together with its place. */
COROTRACER_COLD inline std::uint32_t remember_place(const location &where, const void *reason_key,
	std::string_view reason, ctp_form form) noexcept
{
	char function[512];
	struct ctp_site_source source = {};
	place_key key = key_of(where);

	copy_text(plain_function_name(where.function_name()), function, sizeof(function));
	source.kind = CTP_SITE_READY(CTP_SITE_SOURCE, form);
	source.line = static_cast<std::uint32_t>(where.line());
	source.column = static_cast<std::uint32_t>(where.column());
	source.file = where.file_name();
	source.function = function;
	source.reason = reason.data();
	source.reason_bytes = static_cast<std::uint32_t>(reason.size());
	return ctp_site_remember(key.place, key.position, reason_key, &source);
}

inline std::uint32_t remember_location(const location &where, const std::string_view *why) noexcept
{
	return why != nullptr ? remember_place(where, why, *why, CTP_FORM_CO_AWAIT)
			      : remember_place(where, why, std::string_view(), CTP_FORM_CPP);
}

inline std::uint32_t remember_text(const location &where, const char *text) noexcept
{
	return remember_place(where, text, text, CTP_FORM_CPP);
}

COROTRACER_INLINE std::uint32_t site_of(const location &where, const std::string_view *why) noexcept
{
	place_key key = key_of(where);
	std::uint32_t site = ctp_site_lookup(key.place, key.position, why);

	return CTP_LIKELY(site != 0) ? site : remember_location(where, why);
}

COROTRACER_COLD inline std::uint32_t remember_caller(
	const void *caller, const void *inside) noexcept
{
	std::uint64_t second = reinterpret_cast<std::uintptr_t>(inside);
	struct ctp_site_source source = {};

	source.kind = CTP_SITE_CALLER;
	source.line = static_cast<std::uint32_t>(second);
	source.column = static_cast<std::uint32_t>(second >> 32);
	source.address = reinterpret_cast<std::uintptr_t>(caller);
	return ctp_site_remember(caller, second, nullptr, &source);
}

/*
 * Returns the site of the caller of the function that contains `inside`, which may be inlined into its caller (ctp.h).
 */
COROTRACER_INLINE std::uint32_t site_of_caller(const void *caller, const void *inside) noexcept
{
	std::uint32_t site =
		ctp_site_lookup(caller, reinterpret_cast<std::uintptr_t>(inside), nullptr);

	return CTP_LIKELY(site != 0) ? site : remember_caller(caller, inside);
}

COROTRACER_COLD inline std::uint32_t remember_name(const std::string_view *why) noexcept
{
	struct ctp_site_source source = {};

	source.kind = CTP_SITE_READY(CTP_SITE_NAME, CTP_FORM_CO_AWAIT);
	source.reason = why->data();
	source.reason_bytes = static_cast<std::uint32_t>(why->size());
	return ctp_site_remember(why, 0, nullptr, &source);
}

/* Interns a name that was made at run time: each call takes a site number. */
COROTRACER_COLD inline std::uint32_t intern(std::string_view name) noexcept
{
	return name.empty() ? 0 : ctp_intern(name.data(), static_cast<std::uint32_t>(name.size()));
}

COROTRACER_INLINE std::uint32_t site_of(const std::string_view *why) noexcept
{
	std::uint32_t site = ctp_site_lookup(why, 0, nullptr);

	return CTP_LIKELY(site != 0) ? site : remember_name(why);
}

} /* namespace detail */
} /* namespace corotracer */

#endif
