# chorex.cmake: a project that keeps its own compilers. Flags of the target reach the choreography; a second build does
# nothing, a change in any file that the choreography uses is noticed, and C++ finds the companions.
set -eu
. "$(dirname "$0")/common.bash"
command -v cmake >/dev/null || fail "cmake is not installed"
mkdir -p prefix/share/chorex project/include
cp "$(dirname "$0")/../../share/chorex.cmake" prefix/share/chorex/
build=$(dirname "$(dirname "$CHORCC")")
ln -s "$build/bin" "$build/include" "$build/lib" prefix/
cd project
pingpong
rm main.c
sed -i 's/#include <chorex.h>/&\n#include <step.h>/; s/Ping.serve(n) ~>/Ping.(serve(n) + STEP + EXTRA) ~>/' pingpong.h
echo '#define STEP 1' >include/step.h
cat >main.cc <<'END'
#include "pingpong.h"
#include "pingpong.chor.h"
#include <cstdio>
int main()
{
    pingpong_run_result result;
    if (pingpong_run(&result, nullptr, 10) != CHX_OK)
        return 1;
    std::printf("%d\n", result.Ping);
}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(pingpong C CXX)
include("${CMAKE_SOURCE_DIR}/../prefix/share/chorex/chorex.cmake")
add_library(steps INTERFACE)
target_include_directories(steps INTERFACE include)
add_executable(program main.cc ping.c pong.c)
target_link_libraries(program PRIVATE steps)
target_compile_definitions(program PRIVATE EXTRA=2)
chorex_choreographies(program ping.c pong.c)
END
cd ..
for generator in "Unix Makefiles" Ninja; do
    rm -rf build
    cmake -G "$generator" -S project -B build >log 2>&1 || { cat log >&2; fail "cmake"; }
    cmake --build build -j 1 >log 2>&1 || { cat log >&2; fail "the build"; }
    prints 28 build/program
    cmake --build build >log 2>&1
    lacks log "Projecting"
    lacks log "Building C"
    sleep 1.1
    echo '#define STEP 5' >project/include/step.h
    cmake --build build >log 2>&1 || { cat log >&2; fail "the build after a change"; }
    prints 36 build/program
    echo '#define STEP 1' >project/include/step.h
done
[ -z "$(find project -name '*.chor.h')" ] || fail "companions beside the sources"
