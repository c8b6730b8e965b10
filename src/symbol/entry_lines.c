/* SPDX-License-Identifier: MIT */
/* Looks for an entry's line in the code (debug_entry.h). */
#include <string.h>

#include "symbol/debug_entry.h"

bool symbol_entry_has_code(Dwarf_Die *entry, int line, Dwarf_Addr from, Dwarf_Addr to)
{
	const char *file = dwarf_decl_file(entry), *source;
	Dwarf_Die unit;
	Dwarf_Lines *lines;
	size_t count, i;

	if (!file || !dwarf_diecu(entry, &unit, NULL, NULL) ||
		dwarf_getsrclines(&unit, &lines, &count) != 0)
		return false;
	for (i = 0; i < count; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		Dwarf_Addr address;
		int number;

		if (dwarf_lineaddr(row, &address) != 0 || address < from || address >= to ||
			dwarf_lineno(row, &number) != 0 || number != line)
			continue;
		source = dwarf_linesrc(row, NULL, NULL);
		if (source && strcmp(source, file) == 0)
			return true;
	}
	return false;
}
