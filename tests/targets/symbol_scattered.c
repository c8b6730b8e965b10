/* SPDX-License-Identifier: MIT */
/*
 * Hand-written debug information: a function of 128 ranges of one byte each. Prints the return address of a call in
 * range RANGE, then its own memory map. Must be compiled without the compiler's debug information.
 */
#include <stdio.h>

extern const char scattered_code[];

__asm__(".pushsection .text\n"
	".type before, %function\n" /* so that no function of unknown size reaches to here */
	"before:\n"
	".skip 16\n"
	".size before, 16\n"
	".globl scattered_code\n"
	"scattered_code:\n"
	".skip 128\n"
	".popsection\n"

	".pushsection .debug_ranges,\"\",%progbits\n"
	".Lranges:\n"
	".set range, 0\n"
	".rept 128\n"
	".8byte range, range + 1\n"
	".set range, range + 1\n"
	".endr\n"
	".8byte 0, 0\n"
	".popsection\n"

	".pushsection .debug_abbrev,\"\",%progbits\n"
	".Labbreviations:\n"
	".byte 1, 0x11, 1\n" /* DW_TAG_compile_unit, with children */
	".byte 0x11, 0x01\n" /* DW_AT_low_pc, DW_FORM_addr */
	".byte 0x12, 0x07\n" /* DW_AT_high_pc, DW_FORM_data8 */
	".byte 0, 0\n"
	".byte 2, 0x2e, 0\n" /* DW_TAG_subprogram, without children */
	".byte 0x03, 0x08\n" /* DW_AT_name, DW_FORM_string */
	".byte 0x55, 0x17\n" /* DW_AT_ranges, DW_FORM_sec_offset */
	".byte 0, 0\n"
	".byte 0\n"
	".popsection\n"

	".pushsection .debug_info,\"\",%progbits\n"
	".4byte .Lunit_end - .Lunit_begin\n"
	".Lunit_begin:\n"
	".2byte 4\n" /* version */
	".4byte .Labbreviations\n"
	".byte 8\n" /* size of an address */
	".byte 1\n"
	".8byte scattered_code\n"
	".8byte 128\n"
	".byte 2\n"
	".asciz \"scattered\"\n"
	".4byte .Lranges\n"
	".byte 0\n"
	".Lunit_end:\n"
	".popsection\n");

int main(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int c;

	printf("%p\n", (const void *)(scattered_code + RANGE + 1));
	while (maps && (c = getc(maps)) != EOF)
		putchar(c);
	return maps ? 0 : 1;
}
