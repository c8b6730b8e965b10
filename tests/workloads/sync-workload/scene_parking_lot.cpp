/* SPDX-License-Identifier: MIT */
/*
 * Readers wait until a page is loaded, writers until a page is saved, in one parking lot. Both happen at once: the
 * second notification comes while the first one has taken its waiters out of the list.
 *
 * With fault (e), in parking_lot.cpp, the first one has taken all waiters out: the second finds none, and the writers
 * wait forever.
 */
#include "parking_lot.h"
#include "runtime.h"
#include "scenarios.h"

namespace
{

Job wait_for(Runtime &runtime, ParkingLot &lot, const bool &condition)
{
	co_await lot.park(&condition);
	runtime.census().note_progress();
}

Job tell(ParkingLot &lot, const bool &condition)
{
	lot.notify_all(&condition);
	co_return;
}

Job tell_meanwhile(ParkingLot &lot, const bool &condition, Rehearsal &rehearsal)
{
	rehearsal.wait_for_pause();
	lot.notify_all(&condition);
	rehearsal.go_on();
	co_return;
}

} // namespace

void play_parking_lot(Runtime &runtime)
{
	ParkingLot lot(runtime);
	Rehearsal rehearsal;
	bool is_loaded = false;
	bool is_saved = false;
	Job readers[] = {wait_for(runtime, lot, is_loaded), wait_for(runtime, lot, is_loaded)};
	Job writers[] = {wait_for(runtime, lot, is_saved), wait_for(runtime, lot, is_saved)};
	Job loader = tell(lot, is_loaded);
	Job saver = tell_meanwhile(lot, is_saved, rehearsal);

	for (Job &reader : readers)
		reader.start(runtime);
	for (Job &writer : writers)
		writer.start(runtime);
	/* All are parked. */
	runtime.wait_until_quiet();
	lot.rehearse(rehearsal);
	loader.start(runtime);
	saver.start(runtime);
	runtime.wait_for_end();
}
