# A CMake project with CC=chorcc; a second build does nothing, a changed choreography is compiled again.
set -eu
. "$(dirname "$0")/common.bash"
command -v cmake >/dev/null || fail "cmake is not installed"
mkdir project
cd project
pingpong
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(pingpong C)
set(CMAKE_C_STANDARD 11)
add_library(pong STATIC pong.c)
add_executable(program main.c ping.c $<TARGET_OBJECTS:pong>)
END
cd ..
CC=$CHORCC cmake -S project -B build >log 2>&1 || { cat log >&2; fail "cmake"; }
grep -Eq 'C compiler identification is (GNU|Clang)' log || { cat log >&2; fail "the compiler is not recognised"; }
cmake --build build >log 2>&1 || { cat log >&2; fail "the build"; }
prints 42 build/program
cmake --build build >log 2>&1
lacks log "Building C object"
sleep 1.1
sed -i 's/Pong.play(n) ~>/Pong.(play(n) + 1) ~>/' project/pingpong.h
cmake --build build >log 2>&1 || { cat log >&2; fail "the build after a change"; }
prints 43 build/program
