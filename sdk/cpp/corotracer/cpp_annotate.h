/* SPDX-License-Identifier: MIT */
/*
 * Annotations, by which a C++ program describes itself: tasks, regions, messages, counters, names. A part of
 * coroTracer.h.
 *
 *	std::uint64_t id = corotracer::task_begin("request", 4711);
 *	corotracer::region query{"db.query"};
 *	corotracer::log("connected to {}", host);
 *	corotracer::counter("open connections", n);
 *
 * Names are literals: they are interned at their first use, with their place in the source, and never read again. An
 * annotation belongs to the coroutine that runs on this thread, as far as the thread's events show, or else to the
 * thread; corotracer::of(id) as a first argument names the coroutine by its corotracer_id().
 */
#ifndef COROTRACER_CPP_ANNOTATE_H
#define COROTRACER_CPP_ANNOTATE_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "corotracer/cpp_site.h"
#include "corotracer/ctp_probe.h"

namespace corotracer
{

/* A text that is known at compile time, and its place in the source. */
class literal
{
      public:
	consteval literal(const char *text, location where = location::current()) noexcept
	    : text_(text), where_(where)
	{
	}
	COROTRACER_INLINE std::uint32_t site() const noexcept
	{
		detail::place_key key = detail::key_of(where_);
		std::uint32_t site;

		if (!ctp_is_attached())
			return 0;
		site = ctp_site_lookup(key.place, key.position, text_);
		return CTP_LIKELY(site != 0) ? site : remember();
	}

      private:
	COROTRACER_COLD std::uint32_t remember() const noexcept
	{
		return detail::remember_text(where_, text_);
	}

	const char *text_;
	location where_;
};

/* of: names the coroutine that an annotation belongs to. */
struct of {
	constexpr of() noexcept = default;
	constexpr explicit of(std::uint64_t coroutine) noexcept : id(coroutine)
	{
	}
	std::uint64_t id = 0;
};

/*
 * Tasks, such as a request. task_begin begins a task with a number of the program's own (not 0, and not the number of
 * another task that still goes on) or, if none is given, with a new number, which is returned. The coroutine works for
 * the task from here on, on whatever thread, and so do coroutines that it creates. task_end may be called on any
 * thread.
 */
COROTRACER_INLINE std::uint64_t task_begin(of who, literal name, std::uint64_t task = 0) noexcept
{
	if (task == 0)
		task = ctp_task_new();
	ctp_task_begin(who.id, task, name.site());
	return task;
}

COROTRACER_INLINE std::uint64_t task_begin(literal name, std::uint64_t task = 0) noexcept
{
	return task_begin(of(), name, task);
}

COROTRACER_INLINE void task_end(std::uint64_t task) noexcept
{
	ctp_task_end(0, task);
}

/* task_set: the coroutine works for this task from here on; 0: for no task. This passes a task to another coroutine. */
COROTRACER_INLINE void task_set(of who, std::uint64_t task) noexcept
{
	ctp_task_set(who.id, task);
}

/* region: a named piece of work, from the object's construction to its destruction; it may contain co_await. */
class region
{
      public:
	COROTRACER_INLINE explicit region(literal name) noexcept : region(of(), name)
	{
	}
	COROTRACER_INLINE region(of who, literal name) noexcept : who_(who), site_(name.site())
	{
		ctp_region_begin(who_.id, 0, site_);
	}
	region(const region &) = delete;
	region &operator=(const region &) = delete;
	COROTRACER_INLINE ~region()
	{
		ctp_region_end(who_.id, site_);
	}

      private:
	of who_;
	std::uint32_t site_;
};

/*
 * log: writes a message; a number or a text replaces {} in the message, or else is shown after it. Texts are cut after
 * 128 bytes.
 */
COROTRACER_INLINE void log(of who, literal message) noexcept
{
	ctp_log(who.id, message.site());
}

COROTRACER_INLINE void log(of who, literal message, std::int64_t number) noexcept
{
	ctp_log_number(who.id, number, message.site());
}

COROTRACER_INLINE void log(of who, literal message, std::string_view text) noexcept
{
	ctp_log_text(who.id, text.data(), text.size(), message.site());
}

COROTRACER_INLINE void log(literal message) noexcept
{
	log(of(), message);
}

COROTRACER_INLINE void log(literal message, std::int64_t number) noexcept
{
	log(of(), message, number);
}

COROTRACER_INLINE void log(literal message, std::string_view text) noexcept
{
	log(of(), message, text);
}

/* counter: a quantity of the program has this value from here on. */
COROTRACER_INLINE void counter(literal name, std::int64_t value) noexcept
{
	ctp_counter(value, name.site());
}

/*
 * Functions that name a coroutine, the calling thread, or a resource. Each call interns its name, and a process has
 * room for 65,536 sites and names: use them for things that live long.
 */
COROTRACER_INLINE void name_coroutine(std::uint64_t coroutine, std::string_view name) noexcept
{
	ctp_name_coro(coroutine, detail::intern(name));
}

COROTRACER_INLINE void name_thread(std::string_view name) noexcept
{
	ctp_name_thread(detail::intern(name));
}

COROTRACER_INLINE void name_resource(std::uint64_t resource, std::string_view name) noexcept
{
	ctp_name_resource(resource, detail::intern(name));
}

/*
 * start, stop: recording is wanted from here on, or not. phase: a phase begins. dump: asks to keep the past, with a
 * reason.
 */
COROTRACER_INLINE void start() noexcept
{
	ctp_start();
}

COROTRACER_INLINE void stop() noexcept
{
	ctp_stop();
}

COROTRACER_INLINE void phase(literal name) noexcept
{
	ctp_mark(0, CTP_MARK_PHASE, 0, name.site());
}

COROTRACER_INLINE void dump(literal why) noexcept
{
	ctp_mark(0, CTP_MARK_DUMP, 0, why.site());
}

} /* namespace corotracer */

#endif
