/* SPDX-License-Identifier: MIT */
/*
 * The names of C++ and Rust, as people write them, of those that linkers know.
 *
 * With libiberty a name is bounded: a few bytes of a mangled name can stand for gigabytes of a readable one, and who
 * made the file chose them. Without it C++ is read by its own library, and Rust not at all.
 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What is longer is cut there, and "..." stands behind it. */
#define DEMANGLED_MAX_BYTES 8192u

/*
 * demangle, symbol_demangle_rust: the name in C++'s and in Rust's notation, the latter without its hash, for both of
 * Rust's manglings. To be freed by the caller; NULL where it is no such mangled name, or no memory is left.
 */
char *symbol_demangle(const char *mangled);
char *symbol_demangle_rust(const char *mangled);

#ifdef __cplusplus
}
#endif

#endif
