/* SPDX-License-Identifier: MIT */
/*
 * The reactor's slots and events. Built with FAULT_A, on_hangup() forgets the coroutine that waits
 * for the descriptor which it closes: the planted fault that the tracer is to find. The log has them:
 *
 *	dropped coroutine=ID fd=FD worker=TID
 */
#include "reactor.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace
{

/* The eventfd's mark among the events; no descriptor has this number. */
constexpr uint64_t interrupt_key = UINT64_MAX;

uint64_t key_of(Descriptor descriptor)
{
	return (uint64_t{descriptor.generation} << 32) | static_cast<uint32_t>(descriptor.fd);
}

Descriptor descriptor_of(uint64_t key)
{
	return {static_cast<int>(key & UINT32_MAX), static_cast<uint32_t>(key >> 32)};
}

int checked(int result, const char *what)
{
	if (result < 0)
		throw std::system_error(errno, std::generic_category(), what);
	return result;
}

} // namespace

bool Reactor::Slot::holds(uint32_t of_generation) const
{
	return is_open && generation == of_generation;
}

/* The next opening of the number starts with a new generation and a new registration. */
void Reactor::Slot::reset()
{
	waiter = nullptr;
	is_open = false;
	is_registered = false;
}

Reactor::Reactor(unsigned max_descriptors, EventLog &log)
    : log_(log), nr_slots_(max_descriptors), slots_(std::make_unique<Slot[]>(max_descriptors)),
      epoll_fd_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      interrupt_fd_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"))
{
	epoll_event event{};

	event.events = EPOLLIN;
	event.data.u64 = interrupt_key;
	checked(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, interrupt_fd_, &event), "epoll_ctl");
}

Reactor::~Reactor()
{
	::close(interrupt_fd_);
	::close(epoll_fd_);
}

Descriptor Reactor::open(int fd)
{
	if (static_cast<unsigned>(fd) >= nr_slots_) {
		::close(fd);
		return {};
	}

	Slot &slot = slots_[static_cast<unsigned>(fd)];
	std::lock_guard guard(slot.mutex);

	slot.is_open = true;
	slot.generation++;
	return {fd, slot.generation};
}

void Reactor::close(Descriptor descriptor)
{
	Slot &slot = slots_[static_cast<unsigned>(descriptor.fd)];

	std::lock_guard guard(slot.mutex);

	if (!slot.holds(descriptor.generation))
		return;
	/* Under the lock: another thread may be given the number at once, and open() it. */
	slot.reset();
	::close(descriptor.fd);
}

/*
 * The lock makes this the one place where a coroutine becomes visible: the event, and cancel_all(),
 * wait for it, and then find either no waiter or an armed one.
 */
bool Reactor::wait_for(Descriptor descriptor, uint32_t events, Waiter &waiter)
{
	Slot &slot = slots_[static_cast<unsigned>(descriptor.fd)];
	std::lock_guard guard(slot.mutex);

	if (!slot.holds(descriptor.generation)) {
		waiter.result = -EBADF;
		return false;
	}
	/* cancel_all() sets the flag before it looks into the slots: it sees us, or we see it. */
	if (is_cancelled_.load(std::memory_order_relaxed)) {
		waiter.result = -ECANCELED;
		return false;
	}
	if (!arm(slot, descriptor, events)) {
		waiter.result = -errno;
		return false;
	}
	waiter.result = 0;
	slot.waiter = &waiter;
	return true;
}

/* Arming reports at once what is true already, so readiness that came before the wait is not lost. */
bool Reactor::arm(Slot &slot, Descriptor descriptor, uint32_t events)
{
	int operation = slot.is_registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
	epoll_event event{};

	event.events = events | EPOLLONESHOT;
	event.data.u64 = key_of(descriptor);
	if (epoll_ctl(epoll_fd_, operation, descriptor.fd, &event) < 0)
		return false;
	slot.is_registered = true;
	return true;
}

void Reactor::wait(Batch &batch, int timeout_ms)
{
	int count = epoll_wait(
		epoll_fd_, batch.events.data(), static_cast<int>(batch.events.size()), timeout_ms);

	/* Interrupted by a signal handler: no events, and the worker comes again. */
	batch.nr_events = count < 0 ? 0 : static_cast<size_t>(count);
}

void Reactor::take(Batch &batch, std::vector<Scheduled *> &ready)
{
	for (size_t i = 0; i < batch.nr_events; i++) {
		const epoll_event &event = batch.events[i];

		if (event.data.u64 == interrupt_key) {
			drain_interrupt();
			continue;
		}
		if (Scheduled *task = on_event(descriptor_of(event.data.u64), event.events))
			ready.push_back(task);
	}
	batch.nr_events = 0;
}

Scheduled *Reactor::on_event(Descriptor descriptor, uint32_t events)
{
	Slot &slot = slots_[static_cast<unsigned>(descriptor.fd)];
	std::unique_lock lock(slot.mutex);

	/* Meant for an earlier user of the number, or for a wait that was cancelled. */
	if (!slot.holds(descriptor.generation) || slot.waiter == nullptr)
		return nullptr;
	/* A reset. A half-close is EPOLLIN alone: the peer still reads its answers. */
	if ((events & (EPOLLERR | EPOLLHUP)) != 0)
		return on_hangup(slot, descriptor.fd);
	return on_ready(slot);
}

/* Below, the caller holds the slot's lock, and the slot holds a waiter. */

Scheduled *Reactor::on_ready(Slot &slot)
{
	Scheduled *coroutine = std::exchange(slot.waiter, nullptr)->coroutine;

	corotracer::wake(coroutine->handle(), corotracer::outcome::queued);
	return coroutine;
}

/*
 * The peer is gone: the descriptor is of no more use, and closing it here frees it even when its
 * coroutine will not run for a while. This is sound because that coroutine, the only one that uses
 * the descriptor, is suspended in the slot (see reactor.h).
 */
Scheduled *Reactor::on_hangup(Slot &slot, int fd)
{
	Waiter *waiter = slot.waiter;

	slot.reset();
	::close(fd);
#ifdef FAULT_A
	/*
	 * The planted fault. The slot was the only place that knew of the waiter, and the closed
	 * descriptor reports nothing any more: nobody can ever resume this coroutine.
	 */
	log_.say("dropped",
		{{"coroutine", waiter->coroutine->id()}, {"fd", static_cast<uint64_t>(fd)},
			{"worker", static_cast<uint64_t>(gettid())}});
	return nullptr;
#else
	waiter->result = -ECONNRESET;
	corotracer::wake(waiter->coroutine->handle(), corotracer::outcome::queued);
	return waiter->coroutine;
#endif
}

void Reactor::interrupt()
{
	/* The write fails only when the counter is full, and then the poller is interrupted anyway. */
	static_cast<void>(eventfd_write(interrupt_fd_, 1));
}

void Reactor::drain_interrupt()
{
	eventfd_t count;

	static_cast<void>(eventfd_read(interrupt_fd_, &count));
}

void Reactor::cancel_all(std::vector<Scheduled *> &ready)
{
	is_cancelled_.store(true, std::memory_order_relaxed);
	for (unsigned i = 0; i < nr_slots_; i++) {
		std::lock_guard guard(slots_[i].mutex);
		Waiter *waiter = std::exchange(slots_[i].waiter, nullptr);

		if (waiter == nullptr)
			continue;
		waiter->result = -ECANCELED;
		corotracer::wake(waiter->coroutine->handle(), corotracer::outcome::queued);
		ready.push_back(waiter->coroutine);
	}
}
