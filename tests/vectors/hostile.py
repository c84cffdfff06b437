"""Attribute names and values with everything that texts may hold."""

NAMES = ['a "quoted", name=1', "größe\n", "plain"]

VALUES = [
    "",
    " ",
    "  spaces around ",
    '"',
    "'",
    '"double" and \'single\'',
    ",",
    "=",
    "a=b, c=d",
    "tab\there",
    "line\nbreak",
    "return\r\nand newline",
    "back\\slash",
    "\\n",  # a backslash and an n
    "NULL",
    "null",
    "nan",
    "true",
    "0",
    "01",
    "1e0",
    "1.0",
    "-",
    "*",
    "%s {} $1 ?",
    "'; DROP TABLE people; --",
    "</script><b>&amp;",
    "caf\u00e9",  # composed,
    "cafe\u0301",  # decomposed: another value
    "stra\u00dfe",
    "STRASSE",
    "日本",
    "שלום",
    "\u200b",  # of no width
    "\u00a0",  # a space that does not break
    "\u2028",  # a line separator
    "\ufeff",  # a byte order mark
    "\uff5e",  # before the next as bytes, after it as UTF-16
    "🧑🏽‍⚕️",
    "\U0010ffff",
    "\x01",
    "\x1f",
    "\x7f",
    "x" * 300,
    "x" * 299 + "y",
]

# Different cells that look the same once their values are joined.
CONFUSABLE = [
    ["p", "q, r", "s"],
    ["p, q", "r", "s"],
    ["p", "q", "r, s"],
    ["t\x1f", "u", ""],
    ["t", "\x1fu", ""],
    ["t", "u", "\x1f"],
    ["v", "", "w"],
    ["v", "w", ""],
]

UNSEEN = [
    ["", "", ""],
    ["caf\u00e9 ", "", "plain"],
    ["cafE\u0301", "", "plain"],
    ["x" * 298, "", "plain"],
    ["p", "q, r, s", ""],
    ["\ufffd", "", "plain"],
]
