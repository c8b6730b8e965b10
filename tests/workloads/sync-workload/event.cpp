/* SPDX-License-Identifier: MIT */
/*
 * The queues of events. With FAULT_F, claims are not checked: two events that happen at once make a coroutine ready
 * twice, and two workers resume it.
 */
#include "event.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "runtime.h"

#ifdef FAULT_F
#include "resume_guard.h"
#endif

namespace
{

std::mutex all_events;

} // namespace

bool Event::is_set()
{
	std::lock_guard guard(all_events);

	return is_set_;
}

bool Event::add(Place &place)
{
	std::lock_guard guard(all_events);

	if (is_set_)
		return false;
	places_.push_back(&place);
	return true;
}

void Event::forget(Place &place)
{
	std::lock_guard guard(all_events);

	remove(place);
}

/* The lock is held, here and in claim(). */
void Event::remove(const Place &place)
{
	auto at = std::find(places_.begin(), places_.end(), &place);

	if (at != places_.end())
		places_.erase(at);
}

bool Event::claim(const Place &place)
{
	EitherOf *either = place.either;

	if (either == nullptr)
		return true;
	if (either->woken_by_ == nullptr) {
		either->woken_by_ = this;
		return true;
	}
#ifdef FAULT_F
	ResumeGuard::instance().expect_twice(*place.coroutine);
	runtime_.say_cause(
		PlantedFault::DOUBLE_RESUME, place.coroutine->id(), Scheduler::current_id());
	return true;
#else
	return false;
#endif
}

void Event::set()
{
	std::vector<Scheduled *> claimed;
	Rehearsal *rehearsal;

	{
		std::lock_guard guard(all_events);

		is_set_ = true;
		for (const Place *place : places_)
			if (claim(*place))
				claimed.push_back(place->coroutine);
		places_.clear();
		rehearsal = std::exchange(rehearsal_, nullptr);
		corotracer::notify(
			Scheduler::current_id(), corotracer::event(this), claimed.size());
	}
	if (rehearsal != nullptr)
		rehearsal->pause();
	for (Scheduled *coroutine : claimed)
		runtime_.wake(*coroutine);
}

void Event::rehearse(Rehearsal &rehearsal)
{
	std::lock_guard guard(all_events);

	rehearsal_ = &rehearsal;
}

EitherOf::~EitherOf()
{
	std::lock_guard guard(all_events);

	first_.remove(in_first_);
	second_.remove(in_second_);
}

bool EitherOf::add(Scheduled &coroutine)
{
	std::lock_guard guard(all_events);

	in_first_ = {&coroutine, this};
	in_second_ = {&coroutine, this};
	if (first_.is_set_ || second_.is_set_) {
		woken_by_ = first_.is_set_ ? &first_ : &second_;
		return false;
	}
	first_.places_.push_back(&in_first_);
	second_.places_.push_back(&in_second_);
	return true;
}
