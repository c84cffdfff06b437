// The file itself, so that the demo runs from anywhere.
__asm__(
    ".section .rodata\n"
    ".global evenhand_demo_data\n"
    ".global evenhand_demo_data_end\n"
    "evenhand_demo_data:\n"
    ".incbin \"" EVENHAND_DEMO_DATA
    "\"\n"
    "evenhand_demo_data_end:\n"
    ".byte 0\n"
    ".previous\n");
