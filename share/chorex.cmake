# Choreographies in a CMake project that keeps its own C compiler (CMake 3.20 or later):
#
#     include(/usr/local/share/chorex/chorex.cmake)
#     add_executable(shop main.cc shop.c)
#     chorex_choreographies(shop shop.c)
#
# Simpler, where all C files may go through chorcc: CC=chorcc cmake ...

cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

get_filename_component(CHOREX_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_program(CHORCC chorcc HINTS "${CHOREX_PREFIX}/bin" REQUIRED)

# chorex_choreographies(TARGET SOURCE...): before anything of the target is compiled, writes the companions of each C
# source that holds a choreography, or includes one with quotes, and again whenever something that it includes has
# changed. Links the target with libchorex. Comes after all sources were given to the target.
function(chorex_choreographies target)
    set(companions "${CMAKE_CURRENT_BINARY_DIR}/${target}-companions")
    # As the target is compiled, with what it gets from the libraries that it uses.
    set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    separate_arguments(flags NATIVE_COMMAND "${CMAKE_C_FLAGS}")
    set(stamps "")
    foreach(source IN LISTS ARGN)
        get_filename_component(path "${source}" ABSOLUTE)
        string(MAKE_C_IDENTIFIER "${source}" name)
        set(stamp "${companions}/${name}.stamp")
        # -M: the C compiler lists what is included, the companions with it.
        add_custom_command(
            OUTPUT "${stamp}"
            COMMAND "${CMAKE_COMMAND}" -E make_directory "${companions}"
            COMMAND "${CHORCC}" ${flags} "--emit-dir=${companions}" "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
                    "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" -M -MT "${stamp}" -MF "${stamp}.d" "${path}"
            COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
            DEPENDS "${path}"
            DEPFILE "${stamp}.d"
            COMMENT "Projecting the choreographies of ${source}"
            COMMAND_EXPAND_LISTS VERBATIM)
        list(APPEND stamps "${stamp}")
    endforeach()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources EXCLUDE REGEX "\\$<")
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${stamps})
    find_package(Threads REQUIRED)
    target_include_directories(${target} PRIVATE "${companions}" "${CHOREX_PREFIX}/include")
    target_link_directories(${target} PRIVATE "${CHOREX_PREFIX}/lib")
    target_link_libraries(${target} PRIVATE chorex Threads::Threads)
endfunction()

cmake_policy(POP)
