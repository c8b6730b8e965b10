/* SPDX-License-Identifier: MIT */
/*
 * Three philosophers share three forks, and each needs two forks. Each takes the forks in the order of their numbers,
 * which cannot deadlock.
 *
 * With fault (h), each takes the left fork first; all have one fork before any takes the second.
 */
#include <algorithm>

#include "barrier.h"
#include "mutex.h"
#include "runtime.h"
#include "scenarios.h"

namespace
{

constexpr unsigned nr_seats = 3;
constexpr int nr_meals = 20;

struct Table {
	explicit Table(Runtime &runtime)
	    : forks{Mutex(runtime), Mutex(runtime), Mutex(runtime)}, all_have_one(runtime, nr_seats)
	{
	}

	Mutex forks[nr_seats];
	uint64_t ids[nr_seats] = {}; /* the tracer's, of who sits there */
	Barrier all_have_one;
};

Job dine(Runtime &runtime, Table &table, unsigned seat)
{
	unsigned first = seat;
	unsigned second = (seat + 1) % nr_seats;

#ifndef FAULT_H
	if (first > second)
		std::swap(first, second);
#endif
	table.ids[seat] = Scheduler::current_id();
	for (int meal = 0; meal < nr_meals; meal++) {
		co_await table.forks[first].lock();
#ifdef FAULT_H
		co_await table.all_have_one.arrive();
		runtime.say_cause(PlantedFault::MUTEX_CYCLE, table.ids[seat], table.ids[second]);
#endif
		co_await table.forks[second].lock();
		runtime.census().note_progress();
		table.forks[second].unlock();
		table.forks[first].unlock();
	}
}

} // namespace

void play_philosophers(Runtime &runtime)
{
	Table table(runtime);
	Job philosophers[] = {
		dine(runtime, table, 0), dine(runtime, table, 1), dine(runtime, table, 2)};

	for (Job &philosopher : philosophers)
		philosopher.start(runtime);
	runtime.wait_for_end();
}
