/* SPDX-License-Identifier: MIT */
/*
 * Padding in programs of lines (.debug_line). Zig's compiler leaves room in them for what a later compilation adds, and
 * fills it with an extended operation that no reader knows, and whose length takes several bytes. elfutils reads the
 * length as one byte, and then refuses the whole unit.
 */
#ifndef SYMBOL_LINE_PADDING_H
#define SYMBOL_LINE_PADDING_H

#include <stdbool.h>
#include <stddef.h>

/*
 * symbol_line_padding_has: are there such operations in the section? Only units are looked at whose files may have
 * their source with them, as Zig's do.
 * symbol_line_padding_mend: puts operations without effect in their place.
 */
bool symbol_line_padding_has(const unsigned char *section, size_t nr_bytes);
void symbol_line_padding_mend(unsigned char *section, size_t nr_bytes);

#endif
