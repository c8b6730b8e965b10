/* SPDX-License-Identifier: MIT */
/*
 * Boost.Fiber traced from outside: a scheduling algorithm that shares its ready fibers among threads and tells each
 * switch and each wake. Nothing of the library is changed.
 */
#ifndef TESTS_TRUTH_FIBER_ALGORITHM_H
#define TESTS_TRUTH_FIBER_ALGORITHM_H

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

#include <boost/fiber/all.hpp>

#include "coroTracer.h"

namespace fibers = boost::fibers;

/* What each fiber carries: its id, and what it is about to wait for, where the program says so. */
struct TracedProperties : fibers::fiber_properties {
	explicit TracedProperties(fibers::context *context) : fiber_properties(context)
	{
		if (context->is_context(fibers::type::pinned_context))
			return; /* the dispatcher, or a thread's own stack */
		id = ctp_coro_new();
		ctp_create(id, reinterpret_cast<std::uintptr_t>(context), 0);
	}
	~TracedProperties() override
	{
		if (id != 0)
			ctp_destroy(id, CTP_LIFE_UNTOLD);
	}

	std::uint64_t id = 0;
	std::uint64_t resource = 0;
	std::uint32_t site = 0;
};

/* traced_id: of the fiber that runs; 0 on a thread's own stack. */
inline TracedProperties *traced_fiber()
{
	fibers::context *active = fibers::context::active();

	return active->get_properties() == nullptr
		       ? nullptr
		       : static_cast<TracedProperties *>(active->get_properties());
}

class TracedWork : public fibers::algo::algorithm_with_properties<TracedProperties>
{
      public:
	void awakened(fibers::context *context, TracedProperties &fiber) noexcept override;
	fibers::context *pick_next() noexcept override;
	bool has_ready_fibers() const noexcept override;
	void suspend_until(std::chrono::steady_clock::time_point const &until) noexcept override;
	void notify() noexcept override;

      private:
	fibers::context *take() noexcept;
	void tell_switch(fibers::context *to) noexcept;

	static inline std::mutex mutex_;
	static inline std::deque<fibers::context *> shared_;
	fibers::scheduler::ready_queue_type own_;
	std::mutex sleep_mutex_;
	std::condition_variable sleep_;
	bool is_notified_ = false;
};

#endif
