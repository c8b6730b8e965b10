/* SPDX-License-Identifier: MIT */
/*
 * Functions as compilers and demanglers print them, "demo::Task demo::handle(Reactor&, int) [clone .actor]", and the
 * names that people know them by, "demo::handle".
 */
#ifndef EVENT_FUNCTION_H
#define EVENT_FUNCTION_H

/*
 * function_find_name: the name within a signature, [*ret_name, *ret_end), without parameters, result and compiler's
 * marks. Where the signature is none, or is not understood, it is the name as it stands, which is never wrong.
 */
void function_find_name(const char *signature, const char **ret_name, const char **ret_end);

#endif
