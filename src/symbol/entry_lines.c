/* SPDX-License-Identifier: MIT */
/* Looks for an entry's line in the code (debug_entry.h). */
#include <string.h>

#include "symbol/debug_entry.h"

Dwarf_Addr symbol_entry_first_code(Dwarf_Die *entry, int line, Dwarf_Addr from)
{
	const char *file = dwarf_decl_file(entry), *source;
	Dwarf_Addr first = UINT64_MAX, address;
	Dwarf_Die unit;
	Dwarf_Lines *lines;
	size_t count, i;

	if (!file || !dwarf_diecu(entry, &unit, NULL, NULL) ||
		dwarf_getsrclines(&unit, &lines, &count) != 0)
		return first;
	for (i = 0; i < count; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		int number;

		if (dwarf_lineaddr(row, &address) != 0 || address < from || address >= first ||
			dwarf_lineno(row, &number) != 0 || number != line)
			continue;
		source = dwarf_linesrc(row, NULL, NULL);
		if (source && strcmp(source, file) == 0)
			first = address;
	}
	return first;
}
