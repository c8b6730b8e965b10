// SPDX-License-Identifier: MIT
//
// The engine's tables come as texts (esbuild's loader): a list that the page shares with the engine lives once.

declare module "*.def" {
	const text: string;
	export default text;
}
