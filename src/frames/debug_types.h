/* SPDX-License-Identifier: MIT */
/* Types in debug information, as elfutils has them: what every reader of layouts asks of them. */
#ifndef FRAMES_DEBUG_TYPES_H
#define FRAMES_DEBUG_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

/* debug_number: the attribute of this name, as a number; false: the entry has none. */
bool debug_number(Dwarf_Die *entry, unsigned name, uint64_t *ret_number);

/* debug_is_called: has the entry this name? */
bool debug_is_called(Dwarf_Die *entry, const char *name);

/* debug_type: the type of an entry, without names for it and qualifiers; false: it has none. */
bool debug_type(Dwarf_Die *entry, Dwarf_Die *ret_type);

/*
 * debug_is_class: is the type a class or a structure? debug_has_members: is it one of these, or a union?
 * debug_is_pointer: is it a pointer or a reference?
 */
bool debug_is_class(Dwarf_Die *type);
bool debug_has_members(Dwarf_Die *type);
bool debug_is_pointer(Dwarf_Die *type);

/* debug_is_await_suspend: is the function called so, or a template of this name with its arguments? */
bool debug_is_await_suspend(Dwarf_Die *function);

/* debug_bytes: the size of a type; 0: it is not known. */
uint32_t debug_bytes(Dwarf_Die *type);

/* debug_offset: where a member or a base lies in its class; false: it has no such place, as static members. */
bool debug_offset(Dwarf_Die *member, uint32_t *ret_offset);

/* Names of classes, each made once: elfutils goes through a whole unit for one. Zeroed but for the arena: none yet. */
struct class_names {
	struct arena *arena; /* of the names */
	struct map by_entry; /* address of an entry, to an index in `names` */
	VEC(const char *) names;
};

/*
 * debug_class_name: the name of a class with its scopes, "my::AsyncRead"; NULL: out of memory.
 * debug_class_names_fini: frees all but the names.
 */
const char *debug_class_name(struct class_names *names, Dwarf_Die *class_entry);
void debug_class_names_fini(struct class_names *names);

#endif
