// svg_parts.c: see svg_parts.h.

#include "tools/diagram/svg_parts.h"

#include <string.h>

static const char style[] =
    "<style>\n"
    ":root { color-scheme: light dark; }\n"
    "svg { --ink: #1f2328; --soft: #59636e; --line: #8c959f; --paper: #ffffff; --box: #f6f8fa; --head: #ddf4ff;\n"
    "  --accent: #0969da; --choice: #8250df; --loop: #1a7f37; --safe: #9a6700; --rescue: #cf222e; background: "
    "var(--paper); }\n"
    "@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --soft: #9198a1; --line: #656c76; --paper: #0d1117;\n"
    "  --box: #161b22; --head: #0c2d6b; --accent: #58a6ff; --choice: #bc8cff; --loop: #3fb950; --safe: #d29922; "
    "--rescue: #f85149; } }\n"
    "text { font: 13px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: var(--ink); white-space: "
    "pre; }\n"
    ".title { font-size: 16px; font-weight: 600; } .role { font-weight: 600; } .mid { text-anchor: middle; }\n"
    ".head { fill: var(--head); stroke: var(--accent); } .life { stroke: var(--line); stroke-dasharray: 3 4; }\n"
    ".box { fill: var(--box); stroke: var(--line); } .result { fill: var(--box); stroke: var(--accent); stroke-width: "
    "1.6; }\n"
    ".call { fill: var(--paper); stroke: var(--accent); stroke-dasharray: 6 3; } .leave { fill: var(--paper); stroke: "
    "none; }\n"
    ".arrow { stroke: var(--ink); stroke-width: 1.4; fill: none; } .tip { fill: var(--ink); }\n"
    ".say { paint-order: stroke; stroke: var(--paper); stroke-width: 5px; stroke-linejoin: round; }\n"
    ".small { fill: var(--soft); font-size: 12px; } .leave-text { fill: var(--soft); font-style: italic; } a text { "
    "fill: var(--accent); }\n"
    ".frame { fill: none; stroke-width: 1.3; } .choice { stroke: var(--choice); } .loop { stroke: var(--loop); }\n"
    ".checkpoint { stroke: var(--safe); stroke-width: 2; } .rescue { fill: var(--rescue); fill-opacity: .07; stroke: "
    "none; }\n"
    ".part { stroke-dasharray: 5 4; } .word { font-weight: 600; font-size: 12px; }\n"
    ".word.choice { fill: var(--choice); stroke: none; } .word.loop { fill: var(--loop); stroke: none; }\n"
    ".par { stroke: var(--accent); } .word.par { fill: var(--accent); stroke: none; } .ask { fill: var(--paper); "
    "stroke: var(--choice); }\n"
    ".edge { stroke: var(--soft); stroke-width: 1.6; fill: none; } .send { stroke: var(--accent); } .take { stroke: "
    "var(--loop); }\n"
    ".word.checkpoint { fill: var(--safe); stroke: none; } .word.after { fill: var(--rescue); stroke: none; }\n"
    "</style>\n";

void svg_begin(Text *out, int width, int height)
{
    text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
        width, height, width, height);
    text_puts(out, style);
}

void svg_escape(Text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            text_puts(out, "&amp;");
            break;
        case '<':
            text_puts(out, "&lt;");
            break;
        case '>':
            text_puts(out, "&gt;");
            break;
        case '"':
            text_puts(out, "&quot;");
            break;
        default:
            // XML has no other control characters.
            text_add(out, (unsigned char)*text < ' ' ? " " : text, 1);
        }
    }
}

void svg_text(Text *out, int x, int y, const char *classes, const char *text)
{
    text_printf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, classes);
    svg_escape(out, text);
    text_puts(out, "</text>\n");
}

void svg_box(Text *out, int left, int top, int right, int bottom, const char *classes, int round)
{
    text_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\" class=\"%s\"/>\n", left, top,
                right - left, bottom - top, round, classes);
}

void svg_line(Text *out, int x1, int y1, int x2, int y2, const char *classes)
{
    text_printf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"%s\"/>\n", x1, y1, x2, y2, classes);
}

// What is shown when the pointer rests on it: the place in the source and the whole text.
void svg_open(const Sources *sources, Text *out, Span span, const char *text)
{
    text_puts(out, "<g>");
    if (span.file == FILE_NONE)
        return;
    const Source *source = source_get(sources, span.file);
    const char *name = strrchr(source->path, '/');
    text_puts(out, "<title>");
    svg_escape(out, name != NULL ? name + 1 : source->path);
    text_printf(out, ":%u: ", span_position(sources, span).line);
    svg_escape(out, text);
    text_puts(out, "</title>\n");
}

void svg_close(Text *out)
{
    text_puts(out, "</g>\n");
}

void svg_tip(Text *out, int x, int y, Tip tip)
{
    static const int steps[][4] = {[TIP_RIGHT] = {-8, -4, 0, 8},
                                   [TIP_LEFT] = {8, -4, 0, 8},
                                   [TIP_DOWN] = {-4, -8, 8, 0},
                                   [TIP_UP] = {-4, 8, 8, 0}};
    const int *step = steps[tip];
    text_printf(out, "<path d=\"M%d %d l%d %d l%d %d Z\" class=\"tip\"/>\n", x, y, step[0], step[1], step[2], step[3]);
}
