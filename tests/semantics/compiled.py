"""Programs of make.py as C: several choreographies in one file, so that chorcc is called seldom."""

import os
import subprocess

from syntax import Printer

HEAD = """#include <chorex.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

"""
# A frail function counts its calls in a file: a role may be in a process of its own, and begin anew.
HELPERS = """
static void must_hold(bool holds)
{
    if (!holds)
        chx_fail("as planned");
}

static void fail_at_first(const char *program, int number, int times)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%d", getenv("SEMANTICS_COUNTS"), program, number);
    int fd = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1)
        abort();
    off_t count = lseek(fd, 0, SEEK_END);
    close(fd);
    if (count <= times)
        chx_fail("as planned");
}
"""


def names_of(program):
    return [(role, role in program.families) for role in program.roles]


def functions_of(program):
    text = ""
    for role, _ in names_of(program):
        text += '#include "%s.%s.chor.h"\n' % (program.name, role)
        text += "void %s_must(bool holds) { must_hold(holds); }\n" % role
        text += 'void %s_frail(int number, int times) { fail_at_first("%s", number, times); }\n' % (role, program.name)
    return text


def main_of(program):
    lines = ["static void start_%s(void)" % program.name, "{"]
    cast = ", ".join(".%s = {.count = %d}" % (family, count) for family, count in program.families.items())
    lines.append("    struct %s_run_result r;" % program.name)
    if cast:
        lines.append("    struct %s_cast cast = {%s};" % (program.name, cast))
    lines.append("    if (%s_run(&r, %s) != CHX_OK) {" % (program.name, "&cast" if cast else "NULL"))
    lines.append('        printf("%s: failed %%s\\n", chx_last_report()->role);' % program.name)
    lines += ["        return;", "    }", '    printf("%s:");' % program.name]
    for role, is_family in names_of(program):
        if is_family:
            lines.append("    for (size_t i = 0; i < r.%s.count; i++)" % role)
            lines.append('        printf(" %%d %%d", r.%s.item[i].v0, r.%s.item[i].v1);' % (role, role))
        else:
            lines.append('    printf(" %%d %%d", r.%s.v0, r.%s.v1);' % (role, role))
    lines.append('    printf("\\n");')
    if cast:
        lines.append("    %s_run_result_drop(&r);" % program.name)
    return "\n".join(lines + ["}", ""])


def text_of(programs):
    text = HEAD
    for program in programs:
        printer = Printer()
        if program.library is not None:
            printer.put_program(program.library)
        printer.put_program(program)
        text += "\n".join(printer.lines) + "\n"
    text += HELPERS
    for program in programs:
        text += functions_of(program) + main_of(program)
    text += "int main(void)\n{\n" + "".join("    start_%s();\n" % program.name for program in programs) + "    return 0;\n}\n"
    return text


def expected_line(program, outcome, is_single):
    """What it prints; of programs in which several roles may fail at once, not who has."""
    if outcome[0] == "failed":
        return "%s: failed%s" % (program.name, " " + outcome[1] if is_single else "")
    values = [value for role in program.all_roles() for value in outcome[1][role]]
    return "%s: %s" % (program.name, " ".join(map(str, values)))


def build(chorcc, folder, name, programs, central=()):
    """None, or what chorcc says. The program is FOLDER/NAME/program."""
    folder = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(folder, "made.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text_of(programs))
    for number, program in enumerate(central):
        out = os.path.join(folder, "central%d.c" % number)
        command = [chorcc, "-w", "--central", program.name, source, "-o", out]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            return made.stderr
        source = out
    built = subprocess.run([chorcc, "-w", "-O0", source, "-o", os.path.join(folder, "program")], capture_output=True, text=True, check=False)
    return None if built.returncode == 0 else built.stderr


def run(folder, name, mode, timeout):
    """The lines that it prints, and what went wrong (None: nothing)."""
    counts = os.path.join(folder, "counts")
    os.makedirs(counts, exist_ok=True)
    for old in os.listdir(counts):
        os.remove(os.path.join(counts, old))
    environment = dict(os.environ, SEMANTICS_COUNTS=counts, CHOREX_STORE="none", **mode)
    try:
        ran = subprocess.run([os.path.join(folder, name, "program")], capture_output=True, text=True, timeout=timeout, check=False,
                             env=environment)
    except subprocess.TimeoutExpired as expired:
        done = (expired.stdout or b"").decode() if isinstance(expired.stdout, bytes) else expired.stdout or ""
        return done.splitlines(), "not finished after %d s" % timeout
    wrong = None if ran.returncode == 0 else "status %d: %s" % (ran.returncode, ran.stderr[:1000])
    return ran.stdout.splitlines(), wrong
