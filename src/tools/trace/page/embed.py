#!/usr/bin/env python3
"""Makes C of the page: embed.py OUT PAGE STYLE SCRIPT...: what stands before the data, and what behind it, as arrays of bytes."""

import sys


def array(name, text):
    data = text.encode("utf-8")
    lines = [",".join(str(byte) for byte in data[i:i + 24]) for i in range(0, len(data), 24)]
    return "const unsigned char %s[] = {\n%s};\nconst size_t %s_size = sizeof %s;\n" % (name, ",\n".join(lines), name, name)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


out, page, style, *scripts = sys.argv[1:]
text = read(page).replace("@STYLE@", read(style)).replace("@SCRIPT@", "\n".join(read(script) for script in scripts))
before, behind = text.split("@DATA@")
with open(out, "w", encoding="utf-8") as file:
    file.write('#include "tools/trace/page.h"\n\n%s\n%s' % (array("page_before", before), array("page_behind", behind)))
