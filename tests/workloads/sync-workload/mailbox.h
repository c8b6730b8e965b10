/* SPDX-License-Identifier: MIT */
/*
 * A mailbox: messages for one coroutine. The receiver takes no lock when it suspends; a word of state decides between
 * the receiver and a sender that posts at that moment:
 *
 *	awake     the receiver runs, and has found the box empty, or will look
 *	asleep    it is suspended, and the next message must make it ready
 *	notified  there is a message that it has not taken: it is ready, or must not suspend
 */
#ifndef EXAMPLE_MAILBOX_H
#define EXAMPLE_MAILBOX_H

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "scheduled.h"
#include "rehearsal.h"

class Runtime;

class Mailbox
{
      public:
	class Receive;

	explicit Mailbox(Runtime &runtime) : runtime_(runtime)
	{
	}
	Mailbox(const Mailbox &) = delete;
	Mailbox &operator=(const Mailbox &) = delete;

	/* post: may be called on any thread. */
	void post(uint64_t message);

	/* uint64_t message = co_await mailbox.receive(): always awaited by the same coroutine. */
	Receive receive();

	/* rehearse: the next receive() that finds nothing pauses before it suspends. */
	void rehearse(Rehearsal &rehearsal);

      private:
	enum class State { awake, asleep, notified };

	std::optional<uint64_t> take();
	bool fall_asleep(Scheduled &receiver);
	void tell_running();

	Runtime &runtime_;
	std::atomic<State> state_{State::awake};
	std::atomic<Scheduled *> receiver_{nullptr}; /* from its first wait on */
	std::atomic<Rehearsal *> rehearsal_{nullptr};
	std::mutex mutex_; /* guards only the messages */
	std::deque<uint64_t> messages_;
};

/* The awaiter. */
class Mailbox::Receive
{
      public:
	explicit Receive(Mailbox &mailbox) : mailbox_(mailbox)
	{
	}

	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::channel(&mailbox_);
	}

	bool await_ready()
	{
		message_ = mailbox_.take();
		return message_.has_value();
	}

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		return mailbox_.fall_asleep(coroutine.promise());
	}

	uint64_t await_resume()
	{
		return message_.has_value() ? *message_ : mailbox_.take().value();
	}

      private:
	Mailbox &mailbox_;
	std::optional<uint64_t> message_;
};

inline Mailbox::Receive Mailbox::receive()
{
	return Receive(*this);
}

#endif
