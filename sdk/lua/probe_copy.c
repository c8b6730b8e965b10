/* SPDX-License-Identifier: MIT */
/* The module's own copy of the probe, so that the module needs no other file. */
#include "corotracer/ctp_probe_cold.h"
