/* SPDX-License-Identifier: MIT */
/*
 * Hand-written debug information: a unit as Zig's compiler writes it, with padding in its program of lines, before and
 * between the operations. Prints an address in the unit's second line, then its own memory map. Must be compiled
 * without the compiler's debug information.
 */
#include <stdio.h>

extern const char padded_code[];

__asm__(".pushsection .text\n"
	".globl padded_code\n"
	".type padded_code, %function\n"
	"padded_code:\n"
	".skip 16\n"
	".size padded_code, 16\n"
	".popsection\n"

	".pushsection .debug_abbrev,\"\",%progbits\n"
	".Labbreviations:\n"
	".byte 1, 0x11, 0\n" /* DW_TAG_compile_unit, without children */
	".byte 0x03, 0x08\n" /* DW_AT_name, DW_FORM_string */
	".byte 0x10, 0x17\n" /* DW_AT_stmt_list, DW_FORM_sec_offset */
	".byte 0x11, 0x01\n" /* DW_AT_low_pc, DW_FORM_addr */
	".byte 0x12, 0x07\n" /* DW_AT_high_pc, DW_FORM_data8 */
	".byte 0, 0\n"
	".byte 0\n"
	".popsection\n"

	".pushsection .debug_info,\"\",%progbits\n"
	".4byte .Lunit_end - .Lunit_begin\n"
	".Lunit_begin:\n"
	".2byte 5\n"   /* version */
	".byte 1, 8\n" /* DW_UT_compile, size of an address */
	".4byte .Labbreviations\n"
	".byte 1\n"
	".asciz \"padded.zig\"\n"
	".4byte .Llines\n"
	".8byte padded_code\n"
	".8byte 16\n"
	".Lunit_end:\n"
	".popsection\n"

	".pushsection .debug_line,\"\",%progbits\n"
	".Llines:\n"
	".4byte .Llines_end - .Llines_begin\n"
	".Llines_begin:\n"
	".2byte 5\n"   /* version */
	".byte 8, 0\n" /* sizes of an address, and of a segment */
	".4byte .Lprogram - .Lheader\n"
	".Lheader:\n"
	".byte 1, 1, 1, -5, 14, 13\n"
	".byte 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1\n"
	".byte 1, 0x01, 0x08\n" /* of a folder: DW_LNCT_path, DW_FORM_string */
	".byte 1\n"
	".asciz \"/src\"\n"
	/* of a file: its path; its folder, DW_FORM_data1; DW_LNCT_LLVM_source, DW_FORM_string */
	".byte 3, 0x01, 0x08, 0x02, 0x0b, 0x81, 0x40, 0x08\n"
	".byte 1\n"
	".asciz \"padded.zig\"\n"
	".byte 0\n"
	".asciz \"\"\n"
	".Lprogram:\n"
	".byte 0, 0xac, 0x02\n" /* padding: 300 bytes */
	".zero 300\n"
	".byte 4, 0\n"    /* DW_LNS_set_file */
	".byte 0, 9, 2\n" /* DW_LNE_set_address */
	".8byte padded_code\n"
	".byte 3, 9, 1\n" /* DW_LNS_advance_line, DW_LNS_copy: line 10 */
	".byte 9\n"       /* DW_LNS_fixed_advance_pc */
	".2byte 4\n"
	".byte 0, 0x80, 0x01\n" /* padding: 128 bytes */
	".zero 128\n"
	".byte 3, 10, 1\n" /* line 20 */
	".byte 2, 12\n"    /* DW_LNS_advance_pc */
	".byte 0, 1, 1\n"  /* DW_LNE_end_sequence */
	".Llines_end:\n"
	".popsection\n");

int main(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int c;

	printf("%p\n", (const void *)(padded_code + 5));
	while (maps && (c = getc(maps)) != EOF)
		putchar(c);
	return maps ? 0 : 1;
}
