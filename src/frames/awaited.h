/* SPDX-License-Identifier: MIT */
/*
 * What a coroutine of C++20 awaits, as debug information describes it: the members of the awaiter, and of the object to
 * which the awaiter leads, such as the channel of a receive. A message that lies in a channel while somebody waits for
 * one is said by the channel's members, whatever their author calls them.
 */
#ifndef FRAMES_AWAITED_H
#define FRAMES_AWAITED_H

#include <elfutils/libdw.h>

#include "base/text.h"
#include "frames/code.h"

/*
 * awaited_name: moves *type to what a probe's own awaiter is around, if it is one, and returns how many characters that
 * has, at most `most`: "AsyncRead" of "corotracer::detail::wait<AsyncRead&&, (ctp_point)0>::type".
 */
int awaited_name(const char **type, int most);

/*
 * awaited_can_be: does the class, or one from which it derives, have await_suspend? `nr_members` counts what was looked
 * at, and bounds that.
 */
bool awaited_can_be(Dwarf_Die *type, uint32_t *nr_members);

/*
 * awaited_take: fills in the members of the awaiter, whose way is known, by its class. `nr_members` counts those that
 * were looked at, and bounds them. False: out of memory.
 */
bool awaited_take(struct class_names *names, struct code_awaiter *awaiter, Dwarf_Die *class_entry,
	uint32_t *nr_members);

/* awaited_take_alone: does the same for an object to which something else led: its pointers are not followed. */
bool awaited_take_alone(struct class_names *names, struct code_awaiter *object,
	Dwarf_Die *class_entry, uint32_t *nr_members);

/* Appends what is known of the memory to which a pointer leads; nothing, if that is nothing. */
typedef void awaited_say_memory(void *context, uint64_t address, struct text *text);

/*
 * awaited_tell: appends the members with their values, "attempts = 3, channel->closed_ = false", or only those of the
 * object to which the awaiter leads; nothing, if none is known or can be read. `say` and its context are for pointers;
 * NULL: nothing more is said of them.
 */
void awaited_tell(const struct code_awaiter *awaiter, const struct image *image, uint64_t frame,
	bool is_of_object, awaited_say_memory *say, void *context, struct text *text);

/* awaited_object: the address of the object to which the awaiter leads; 0: none is known. */
uint64_t awaited_object(
	const struct code_awaiter *awaiter, const struct image *image, uint64_t frame);

#endif
