/* SPDX-License-Identifier: MIT */
/*
 * Turns mangled names of C++ and Rust into readable ones.
 *
 * With libiberty the length of a name is bounded: a few bytes of a mangled name, which the maker of a hostile file
 * chose, can stand for gigabytes of a readable one. Without libiberty, C++ names are demangled by the C++ library, and
 * Rust names not at all.
 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* A longer name is cut here, and "..." is appended. */
#define DEMANGLED_MAX_BYTES 8192u

/*
 * symbol_demangle, symbol_demangle_rust: return the name in C++'s or Rust's notation; Rust's without its hash, for both
 * of Rust's manglings. The caller frees the name. NULL: not a mangled name of the language, or out of memory.
 */
char *symbol_demangle(const char *mangled);
char *symbol_demangle_rust(const char *mangled);

#ifdef __cplusplus
}
#endif

#endif
