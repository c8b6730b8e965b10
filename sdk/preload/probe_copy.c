/* SPDX-License-Identifier: MIT */
/*
 * The ledger's own copy of the probe: its segment, rings and gate are apart from those of a probe in
 * the program. Compiled with hidden visibility; nothing of it may be exported, or the two would be
 * taken for one by the dynamic linker.
 */
#include "corotracer/ctp_probe_cold.h"
