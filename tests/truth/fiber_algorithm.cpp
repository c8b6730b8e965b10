/* SPDX-License-Identifier: MIT */
/* The traced algorithm: ready fibers of all threads wait in one queue; a thread's own contexts in its own. */
#include "fiber_algorithm.h"

/* With nothing to do, a thread looks again so soon: nobody tells it what others put into the shared queue. */
static constexpr std::chrono::microseconds nap{200};

void TracedWork::awakened(fibers::context *context, TracedProperties &fiber) noexcept
{
	if (context->is_context(fibers::type::pinned_context)) {
		context->ready_link(own_);
		return;
	}
	ctp_wake(0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, fiber.id), CTP_SITE("awakened"),
		CTP_OUTCOME_QUEUED);
	context->detach();
	std::lock_guard lock(mutex_);
	shared_.push_back(context);
}

fibers::context *TracedWork::take() noexcept
{
	std::lock_guard lock(mutex_);
	fibers::context *context = nullptr;

	if (!shared_.empty()) {
		context = shared_.front();
		shared_.pop_front();
	}
	return context;
}

/* What pick_next gives is switched to at once, and what ran until then is let go only after that. */
void TracedWork::tell_switch(fibers::context *to) noexcept
{
	TracedProperties *from = traced_fiber();
	auto *next = static_cast<TracedProperties *>(to->get_properties());
	std::uint64_t from_id = from != nullptr ? from->id : 0;
	std::uint64_t to_id = next != nullptr ? next->id : 0;

	if (from_id != 0 && from->resource != 0)
		ctp_switch_for(from_id, to_id, from->resource, from->site, CTP_POINT_AWAIT);
	else if (from_id != 0 || to_id != 0)
		ctp_switch(from_id, to_id, CTP_SITE("switch"), CTP_POINT_AWAIT);
}

fibers::context *TracedWork::pick_next() noexcept
{
	fibers::context *context = take();

	if (context != nullptr) {
		fibers::context::active()->attach(context);
	} else if (!own_.empty()) {
		context = &own_.front();
		own_.pop_front();
	}
	if (context != nullptr && context != fibers::context::active())
		tell_switch(context);
	return context;
}

bool TracedWork::has_ready_fibers() const noexcept
{
	std::lock_guard lock(mutex_);

	return !shared_.empty() || !own_.empty();
}

void TracedWork::suspend_until(std::chrono::steady_clock::time_point const &until) noexcept
{
	std::unique_lock lock(sleep_mutex_);

	ctp_park(0, CTP_SITE("idle"));
	sleep_.wait_until(lock, std::min(until, std::chrono::steady_clock::now() + nap),
		[this] { return is_notified_; });
	is_notified_ = false;
	ctp_unpark(0);
}

void TracedWork::notify() noexcept
{
	std::lock_guard lock(sleep_mutex_);

	is_notified_ = true;
	sleep_.notify_all();
}
