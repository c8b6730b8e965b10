// SPDX-License-Identifier: MIT
//
// The engine's tables are imported as texts (esbuild's loader), so that a list shared by page and engine exists only
// once.

declare module "*.def" {
	const text: string;
	export default text;
}
