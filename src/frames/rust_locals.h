/* SPDX-License-Identifier: MIT */
/*
 * Local variables of the async functions of Rust, with their values, as debug information names them for the place
 * where a function is suspended. Arguments are variables as well; what an async block captures lies beside them.
 */
#ifndef FRAMES_RUST_LOCALS_H
#define FRAMES_RUST_LOCALS_H

#include "frames/rust_awaited.h"

/*
 * rust_locals_say: appends the variables of an async function, by the variant that it has now, that can be said in a
 * word or a text, at most eight: "id = 3, path = "/item/3"". What the function awaits is none of them. What it captured
 * may have been moved away since: only numbers, truth values, plain enumerations and `&str` are said there, which
 * moving leaves as they were. Nothing is appended if there is none. False: out of memory.
 */
bool rust_locals_say(const struct rust_reading *reading, const struct rust_value *function,
	const struct rust_variant *now, struct text *text);

#endif
