/* SPDX-License-Identifier: MIT */
/*
 * An event happens once, and every coroutine that waits for it, or comes later, goes on. EitherOf waits for the first
 * of two events.
 *
 * A coroutine that waits for two events is in two queues. The event that finds it in its queue claims it, and only the
 * event with the claim wakes it. Both queues and the claim must change together, so one lock serves all events.
 */
#ifndef EXAMPLE_EVENT_H
#define EXAMPLE_EVENT_H

#include <coroutine>
#include <cstdint>
#include <vector>

#include "scheduled.h"
#include "rehearsal.h"

class EitherOf;
class Runtime;

class Event
{
      public:
	class Wait;

	explicit Event(Runtime &runtime) : runtime_(runtime)
	{
	}
	Event(const Event &) = delete;
	Event &operator=(const Event &) = delete;

	/* co_await event.wait() */
	Wait wait();

	/* set: makes the event happen. Wakes all waiters. Any thread. */
	void set();

	bool is_set();

	/* rehearse: set() pauses between finding its waiters and waking them. */
	void rehearse(Rehearsal &rehearsal);

      private:
	friend class EitherOf;

	/* A coroutine's place in the queue of one event. */
	struct Place {
		Scheduled *coroutine = nullptr;
		/* the event must claim this before it wakes the coroutine; null: no claim is needed */
		EitherOf *either = nullptr;
	};

	bool add(Place &place);
	void forget(Place &place);
	void remove(const Place &place);
	bool claim(const Place &place);

	Runtime &runtime_;
	bool is_set_ = false; /* this and the members below are guarded by the lock of all events */
	std::vector<Place *> places_;
	Rehearsal *rehearsal_ = nullptr;
};

class Event::Wait
{
      public:
	explicit Wait(Event &event) : event_(event)
	{
	}
	Wait(const Wait &) = delete;
	Wait &operator=(const Wait &) = delete;

	~Wait()
	{
		event_.forget(place_);
	}

	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::event(&event_);
	}

	bool await_ready()
	{
		return event_.is_set();
	}

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		place_.coroutine = &coroutine.promise();
		return event_.add(place_);
	}

	void await_resume() const noexcept
	{
	}

      private:
	Event &event_;
	Place place_;
};

inline Event::Wait Event::wait()
{
	return Wait(*this);
}

/* int which = co_await EitherOf(first, second): 0 or 1, the event that woke it. */
class EitherOf
{
      public:
	EitherOf(Event &first, Event &second) : first_(first), second_(second)
	{
	}
	EitherOf(const EitherOf &) = delete;
	EitherOf &operator=(const EitherOf &) = delete;
	~EitherOf();

	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::event(&first_);
	}

	bool await_ready() const noexcept
	{
		return false;
	}

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		return add(coroutine.promise());
	}

	int await_resume() const noexcept
	{
		return woken_by_ == &first_ ? 0 : 1;
	}

      private:
	friend class Event;

	bool add(Scheduled &coroutine);

	Event &first_;
	Event &second_;
	/* the event that made the claim; guarded by the lock of all events */
	Event *woken_by_ = nullptr;
	Event::Place in_first_;
	Event::Place in_second_;
};

#endif
