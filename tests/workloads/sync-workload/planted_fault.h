/* SPDX-License-Identifier: MIT */
/*
 * The faults that can be planted, with the names that all examples use. -DFAULT_B to -DFAULT_M choose the fault of a
 * build; faults.def describes each.
 */
#ifndef EXAMPLE_PLANTED_FAULT_H
#define EXAMPLE_PLANTED_FAULT_H

enum class PlantedFault : char {
#define X(name, letter, text, meaning) name = letter,
#include "fiber-scheduler/faults.def"
#undef X
};

constexpr const char *name_of(PlantedFault fault)
{
	switch (fault) {
#define X(name, letter, text, meaning) \
	case PlantedFault::name:       \
		return text;
#include "fiber-scheduler/faults.def"
#undef X
	default:
		return "-";
	}
}

#endif
