/* SPDX-License-Identifier: MIT */
/* Values of Rust's types in the memory of a program, by debug information. */
#ifndef FRAMES_RUST_TYPES_H
#define FRAMES_RUST_TYPES_H

#include <elfutils/libdw.h>

#include "frames/image.h"

/* A value: its type, and where it lies. */
struct rust_value {
	Dwarf_Die type;
	uint64_t address;
};

/* The variant that a value of an enumeration, or of an async function, has now. */
struct rust_variant {
	struct rust_value value;
	const char *name; /* "Suspend0" */
	const char *file; /* of an async function: where it is suspended; "" */
	uint32_t line;
};

/* rust_bytes: the size of a value; 0: it has none, or its size is not known. */
uint64_t rust_bytes(const struct rust_value *value);

/* rust_member: finds the member of this name; false: there is none. */
bool rust_member(const struct rust_value *value, const char *name, struct rust_value *ret_member);

/* rust_only_member: finds the only member that has a size; false: there is none, or several. */
bool rust_only_member(const struct rust_value *value, struct rust_value *ret_member);

/* rust_each_member: hands on each member, with its name; false: `take` said so. */
bool rust_each_member(const struct rust_value *value,
	bool (*take)(void *context, const char *name, const struct rust_value *member),
	void *context);

/* rust_is_async: is it an async function or block, which has a variant for each place at which it is suspended? */
bool rust_is_async(const struct rust_value *value);

/* rust_has_variants: is it an enumeration whose variants have members? */
bool rust_has_variants(const struct rust_value *value);

/* rust_variant_now: finds the variant by the discriminator in memory; false: there is none. */
bool rust_variant_now(const struct image *image, const struct rust_value *value,
	struct rust_variant *ret_variant);

/* rust_first_variant: the variant that is called 0, of an async function the one before its first step; false: none. */
bool rust_first_variant(const struct rust_value *value, struct rust_value *ret_variant);

/* rust_pointed: follows a pointer; false: it is none, or of unsized things, or cannot be read. */
bool rust_pointed(
	const struct image *image, const struct rust_value *pointer, struct rust_value *ret_value);

/* rust_pointer_type: the type to which a pointer leads; false: it is none. */
bool rust_pointer_type(const struct rust_value *pointer, Dwarf_Die *ret_type);

/* rust_type_name: the type's own name, without scopes; never NULL. */
const char *rust_type_name(const struct rust_value *value);

#endif
