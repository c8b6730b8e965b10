/* SPDX-License-Identifier: MIT */
/*
 * The style of pictures, as a list of rules. The dark style applies only on a screen: print is always light. The
 * colours can be told apart without red and green, and only repeat what shapes and words say.
 */
#include "render/picture.h"

/* clang-format off */
const char render_picture_style[] =
	".picture { --ground: #fff; --ink: #1b1f24; --quiet: #59636e; --line: #d5dae0; --raised: #f3f5f8;\n"
	"  --alarm: #b3261e;\n"
	"  --running: #1d7a4c; --ready: #d9930d; --waiting: #dfe4ea; --edge: #77818d; --call: #bd5a22;\n"
	"  --held: #0b7a8f;\n"
	"  --open: #cfe3f5; --open-edge: #3a78b5; --letters: #fff; }\n"
	"@media screen and (prefers-color-scheme: dark) { .picture { --ground: #14171b; --ink: #e3e7eb;\n"
	"  --quiet: #9aa4af;\n"
	"  --line: #343b43; --raised: #1c2127; --alarm: #ff8a80; --running: #45b97c; --ready: #e0a63b;\n"
	"  --waiting: #343c45;\n"
	"  --edge: #8b95a1; --call: #e08a55; --held: #2fb5c9; --open: #1f3a52; --open-edge: #6aa9e0;\n"
	"  --letters: #0c0e10; } }\n"
	".picture { font: 11px/1.3 system-ui, sans-serif; print-color-adjust: exact; }\n"
	".picture text { fill: var(--ink); }\n"
	".picture .quiet { fill: var(--quiet); } .picture .strong { font-weight: 650; }\n"
	".picture .alarm { fill: var(--alarm); font-weight: 650; }\n"
	".picture .inside { fill: var(--letters); font-weight: 600; }\n"
	".picture .halo { paint-order: stroke; stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round; }\n"
	".picture .ground { fill: var(--ground); } .picture .stripe { fill: var(--raised); }\n"
	".picture .axis { stroke: var(--quiet); fill: none; }\n"
	".picture .guide { stroke: var(--line); stroke-dasharray: 2 3; }\n"
	".picture .running { fill: var(--running); stroke: var(--ground); }\n"
	".picture .held { fill: var(--held); stroke: var(--ground); }\n"
	".picture .ready { fill: var(--ready); } .picture .hatch { stroke: var(--ground); stroke-width: 2; }\n"
	".picture .call { fill: var(--call); } .picture .waiting { fill: var(--waiting); stroke: var(--edge); }\n"
	".picture .open { fill: var(--open); stroke: var(--open-edge); }\n"
	".picture .thread { stroke: var(--edge); stroke-width: 2; }\n"
	".picture .dots { stroke: var(--edge); stroke-width: 2; stroke-dasharray: 2 5; }\n"
	".picture .left-out { stroke: var(--quiet); stroke-width: 3; stroke-dasharray: 1 6; stroke-linecap: round; }\n"
	".picture .left-out.dense { stroke: var(--edge); stroke-width: 14; stroke-dasharray: 2 2;\n"
	"  stroke-linecap: butt; }\n"
	".picture .closed { stroke: var(--alarm); stroke-width: 2; stroke-dasharray: 8 5; }\n"
	".picture .cross { stroke: var(--alarm); stroke-width: 2.5; fill: none; }\n"
	".picture .closed.plain, .picture .cross.plain { stroke: var(--edge); }\n"
	".picture .arrow { stroke: var(--ink); stroke-width: 1.8; fill: none; } .picture .tip { fill: var(--ink); }\n"
	".picture .wish { stroke: var(--quiet); stroke-width: 1.6; stroke-dasharray: 1 4; stroke-linecap: round;\n"
	"  fill: none; }\n"
	".picture .wish-tip { fill: var(--ground); stroke: var(--quiet); }\n"
	".picture .mark { fill: var(--ground); stroke: var(--ink); stroke-width: 1.6; }\n"
	".picture .cause { fill: var(--alarm); stroke: var(--alarm); }\n"
	".picture .ring { fill: none; stroke: var(--alarm); stroke-width: 1.6; }\n"
	".picture .never { stroke: var(--alarm); stroke-width: 2.2; stroke-dasharray: 6 5; fill: none; }\n"
	".picture .never-tip { stroke: var(--alarm); stroke-width: 2.2; fill: none; }\n"
	".picture .never.other, .picture .never-tip.other { stroke: var(--quiet); }\n";
/* clang-format on */
