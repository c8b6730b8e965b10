/* SPDX-License-Identifier: MIT */
/*
 * The one thing that C can not do for itself: reading C++'s mangled names.
 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* demangle: the name in C++'s notation, to be freed by the caller; NULL where it is not a mangled name. */
char *demangle(const char *mangled);

#ifdef __cplusplus
}
#endif

#endif
