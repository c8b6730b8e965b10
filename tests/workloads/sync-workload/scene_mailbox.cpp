/* SPDX-License-Identifier: MIT */
/*
 * A clerk owns the lock of the books while it waits for its order, and the order arrives at the very moment in which
 * the clerk suspends. The manager gives up on the clerk; then the auditors want the books.
 *
 * With fault (b), in mailbox.cpp, the order does not wake the clerk: the clerk is destroyed while it is suspended, with
 * the books still locked.
 */
#include "mailbox.h"
#include "mutex.h"
#include "runtime.h"
#include "scenarios.h"

namespace
{

/* The lock does not belong to a scope: destroying the coroutine does not give it back. */
Job keep_books(Runtime &runtime, Mailbox &orders, Mutex &books)
{
	co_await books.lock();
	uint64_t order = co_await orders.receive();

	if (order > 0)
		runtime.census().note_progress();
	books.unlock();
}

Job send_order(Mailbox &orders, Rehearsal &rehearsal)
{
	rehearsal.wait_for_pause();
	orders.post(1);
	rehearsal.go_on();
	co_return;
}

Job audit(Runtime &runtime, Mutex &books)
{
	Mutex::Guard guard = co_await books.hold();

	runtime.census().note_progress();
}

} // namespace

void play_mailbox(Runtime &runtime)
{
	Mailbox orders(runtime);
	Mutex books(runtime);
	Rehearsal rehearsal;
	Job clerk = keep_books(runtime, orders, books);
	Job customer = send_order(orders, rehearsal);
	Job auditors[] = {audit(runtime, books), audit(runtime, books)};

	orders.rehearse(rehearsal);
	clerk.start(runtime);
	customer.start(runtime);
	runtime.wait_until_quiet();
	runtime.say_destroyed(clerk);
	clerk.destroy();
	for (Job &auditor : auditors)
		auditor.start(runtime);
	runtime.wait_for_end();
}
