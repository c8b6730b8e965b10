/* SPDX-License-Identifier: MIT */
/*
 * Where the descriptor ledger's library lies.
 */
#ifndef SESSION_LEDGER_PATH_H
#define SESSION_LEDGER_PATH_H

#include "base/text.h"

/*
 * ledger_path_find: finds the library in a build folder, beside the executable or our own shared library as an
 * installation has it, wherever that was moved to, or in the configured prefix. Returns heap memory. NULL: the library
 * is in none of these places, which `trouble` then names in a sentence.
 */
char *ledger_path_find(struct text *trouble);

#endif
