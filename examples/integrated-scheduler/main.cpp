/* SPDX-License-Identifier: MIT */
/*
 * Producers send numbers through a channel, consumers add them up under a mutex; main waits for the last one.
 */
#include <cstdio>

#include "scheduler.h"

namespace
{

constexpr int NR_PRODUCERS = 4, NR_ITEMS = 500, NR_CONSUMERS = 3;

struct Totals {
	explicit Totals(Scheduler &scheduler) : mutex(scheduler), channel(scheduler, 2)
	{
	}

	Mutex mutex; /* guards sum */
	Channel channel;
	long sum = 0;
	std::atomic<int> nr_left = NR_PRODUCERS * NR_ITEMS;
};

Task produce(Scheduler &scheduler, Totals &totals)
{
	for (int item = 1; item <= NR_ITEMS; item++) {
		while (!totals.channel.try_send(item))
			co_await totals.channel.until_room();
		if (item % 100 == 0)
			co_await Yield{scheduler};
	}
}

Task consume(Totals &totals, int nr_items)
{
	for (int item = 0; nr_items > 0; nr_items--) {
		while (!totals.channel.try_receive(item))
			co_await totals.channel.until_item();
		co_await totals.mutex.lock();
		totals.sum += item;
		totals.mutex.unlock();
		totals.nr_left--;
		totals.nr_left.notify_one();
	}
}

/* How many each consumer takes: all that are sent, among them. */
int share(int consumer)
{
	int all = NR_PRODUCERS * NR_ITEMS, each = all / NR_CONSUMERS;

	return consumer == 0 ? all - each * (NR_CONSUMERS - 1) : each;
}

} /* namespace */

int main()
{
	corotracer::InitTracer();

	Scheduler scheduler;
	Totals totals(scheduler);

	for (int i = 0; i < NR_PRODUCERS; i++)
		scheduler.spawn(produce(scheduler, totals));
	for (int i = 0; i < NR_CONSUMERS; i++)
		scheduler.spawn(consume(totals, share(i)));
	scheduler.start(2);
	for (int left = totals.nr_left; left > 0; left = totals.nr_left)
		totals.nr_left.wait(left);
	scheduler.stop();
	std::printf("sum %ld\n", totals.sum);
	return totals.sum == long{NR_PRODUCERS} * NR_ITEMS * (NR_ITEMS + 1) / 2 ? 0 : 1;
}
