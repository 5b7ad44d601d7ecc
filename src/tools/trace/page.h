// page.h: the page without its data, made of the files in page/ when the tool is built (page/embed.py).

#ifndef TOOLS_TRACE_PAGE_H
#define TOOLS_TRACE_PAGE_H

#include <stddef.h>

extern const unsigned char page_before[], page_behind[];
extern const size_t page_before_size, page_behind_size;

#endif
