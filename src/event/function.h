/* SPDX-License-Identifier: MIT */
/*
 * Functions as compilers and demanglers print them, "demo::Task demo::handle(Reactor&, int) [clone .actor]", and their
 * short names, "demo::handle".
 */
#ifndef EVENT_FUNCTION_H
#define EVENT_FUNCTION_H

/*
 * function_find_name: finds the name within a signature, [*ret_name, *ret_end), without parameters, result and the
 * compiler's marks. If the text is not a signature, or is not understood, the name is the whole text, which is never
 * wrong.
 */
void function_find_name(const char *signature, const char **ret_name, const char **ret_end);

#endif
