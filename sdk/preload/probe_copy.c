/* SPDX-License-Identifier: MIT */
/*
 * The ledger's own copy of the probe: its segment, rings and gate are separate from those of a probe in the program.
 * Compiled with hidden visibility; nothing of it may be exported, because the dynamic linker would then unite the two.
 */
#include "corotracer/ctp_probe_cold.h"
