/* SPDX-License-Identifier: MIT */
/*
 * Boost.Fiber, traced by its adapter: readers wait for letters, and a writer fills the mailboxes.
 *
 * usage: example-fiber-mailbox [lose]
 *
 * lose: a reader looks into its mailbox, lets others run, and then waits without looking again. The letter that came
 * meanwhile, and its notify, are missed, and the reader waits for ever.
 */
#include <cstdio>
#include <string_view>
#include <vector>

#include "corotracer/boost_fiber.h"

namespace
{

namespace fibers = boost::fibers;

struct Mailbox {
	corotracer::traced_mutex<fibers::mutex> mutex;
	fibers::condition_variable_any filled;
	bool has_letter = false;
};

void read(Mailbox &mailbox, bool loses)
{
	bool has_letter = mailbox.has_letter;

	boost::this_fiber::yield();
	std::unique_lock lock(mailbox.mutex);
	if (!loses)
		has_letter = mailbox.has_letter;
	if (has_letter)
		return;
	corotracer::fiber_wait wait(corotracer::condition(&mailbox.filled));
	mailbox.filled.wait(lock);
}

void write(std::vector<Mailbox> &mailboxes)
{
	for (Mailbox &mailbox : mailboxes) {
		std::unique_lock lock(mailbox.mutex);

		mailbox.has_letter = true;
		mailbox.filled.notify_one();
	}
}

} /* namespace */

int main(int argc, char **argv)
{
	bool loses = argc > 1 && std::string_view(argv[1]) == "lose";
	std::vector<Mailbox> mailboxes(20);
	std::vector<fibers::fiber> readers;

	fibers::use_scheduling_algorithm<corotracer::traced_algorithm<fibers::algo::round_robin>>();
	for (Mailbox &mailbox : mailboxes)
		readers.emplace_back([&mailbox, loses] { read(mailbox, loses); });
	fibers::fiber writer([&mailboxes] { write(mailboxes); });
	for (fibers::fiber &reader : readers)
		reader.join();
	writer.join();
	std::puts("all read");
	return 0;
}
