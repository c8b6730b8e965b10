/* SPDX-License-Identifier: MIT */
/*
 * The mailbox's two sides. With FAULT_B, a message that comes while the receiver is still awake does not change the
 * state: the receiver suspends although there is a message, and is never woken.
 */
#include "mailbox.h"

#include "runtime.h"

std::optional<uint64_t> Mailbox::take()
{
	std::lock_guard guard(mutex_);
	uint64_t message;

	/* What was posted until now is seen here, and need not keep us awake. */
	state_.store(State::awake, std::memory_order_relaxed);
	if (messages_.empty())
		return std::nullopt;
	message = messages_.front();
	messages_.pop_front();
	return message;
}

/*
 * The lock keeps the receiver from taking the message, and from coming to its end, before we have done
 * with it. The lock does not keep it from falling asleep.
 */
void Mailbox::post(uint64_t message)
{
	std::lock_guard guard(mutex_);
	State state = State::awake;

	messages_.push_back(message);
#ifdef FAULT_B
	state = state_.load(std::memory_order_acquire);
#else
	state_.compare_exchange_strong(state, State::notified, std::memory_order_acq_rel);
#endif
	if (state == State::awake)
		tell_running();
	if (state != State::asleep)
		return;
	state_.store(State::notified, std::memory_order_release);
	runtime_.wake(*receiver_.load(std::memory_order_acquire));
}

/* Nothing is queued: a receiver that runs finds the message by itself. */
void Mailbox::tell_running()
{
	const auto where = corotracer::location::current();
	Scheduled *receiver = receiver_.load(std::memory_order_acquire);

	if (receiver == nullptr)
		return;
	corotracer::wake_by(Scheduler::current_id(), receiver->handle(),
		corotracer::outcome::target_running, where);
#ifdef FAULT_B
	runtime_.say_cause(
		PlantedFault::DROPPED_WAKE, receiver->id(), Scheduler::current_id(), where);
#endif
}

/* False: there is a message. */
bool Mailbox::fall_asleep(Scheduled &receiver)
{
	Rehearsal *rehearsal = rehearsal_.exchange(nullptr);
	[[maybe_unused]] State expected = State::awake;

	receiver_.store(&receiver, std::memory_order_release);
	if (rehearsal != nullptr)
		rehearsal->pause();
#ifdef FAULT_B
	state_.store(State::asleep, std::memory_order_release);
	return true;
#else
	return state_.compare_exchange_strong(expected, State::asleep, std::memory_order_acq_rel);
#endif
}

void Mailbox::rehearse(Rehearsal &rehearsal)
{
	rehearsal_.store(&rehearsal);
}
