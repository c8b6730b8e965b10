/* SPDX-License-Identifier: MIT */
/*
 * Leaves nothing of an output when the user breaks off.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/*
 * interrupt_guard: from here on INT, TERM and HUP remove the unfinished output, PATH.partial, before they end us.
 * An unfinished output of another writer is left alone. For "-" there is nothing to do. Call it before the output
 * is opened; `run` does not, since it goes on until its program ends.
 */
void interrupt_guard(const char *path);

#endif
