/* SPDX-License-Identifier: MIT */
/* The player of the C probe. */
#include "corotracer/ctp_probe.h"
#include "play.h"
