# Choreographies in a CMake project that keeps its own C compiler:
#
#     include(/usr/local/share/chorex/chorex.cmake)
#     add_executable(shop shop.c)
#     chorex_choreographies(shop shop.c)
#
# Simpler, where all C files may go through chorcc: CC=chorcc cmake ...

get_filename_component(CHOREX_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_program(CHORCC chorcc HINTS "${CHOREX_PREFIX}/bin")

# Writes the companions of each source before `target` is compiled, and links it with libchorex.
function(chorex_choreographies target)
    set(companions "${CMAKE_CURRENT_BINARY_DIR}/${target}-companions")
    foreach(source IN LISTS ARGN)
        get_filename_component(path "${source}" ABSOLUTE)
        get_filename_component(name "${source}" NAME)
        set(stamp "${companions}/${name}.stamp")
        add_custom_command(
            OUTPUT "${stamp}"
            COMMAND "${CMAKE_COMMAND}" -E make_directory "${companions}"
            COMMAND "${CHORCC}" --emit "--emit-dir=${companions}" "${path}"
            COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
            DEPENDS "${path}"
            COMMENT "Projecting the choreographies of ${source}")
        set_property(SOURCE "${source}" APPEND PROPERTY OBJECT_DEPENDS "${stamp}")
    endforeach()
    find_package(Threads REQUIRED)
    target_include_directories(${target} PRIVATE "${companions}" "${CHOREX_PREFIX}/include")
    target_link_directories(${target} PRIVATE "${CHOREX_PREFIX}/lib")
    target_link_libraries(${target} PRIVATE chorex Threads::Threads)
endfunction()
