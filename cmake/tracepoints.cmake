# The recorder's programs in the kernel: compiled by clang for BPF, embedded as a skeleton. Needed
# are clang, bpftool, libbpf and the type information of a running kernel. Without them the rest is
# built, and the recorder says at run time what its build lacked.

set(FCSIM_TRACEPOINTS_LACK "")
set(FCSIM_BTF "/sys/kernel/btf/vmlinux" CACHE FILEPATH "Type information of a kernel")
find_program(FCSIM_BPF_CLANG NAMES clang-14 clang clang-15 clang-16 clang-17 clang-18 clang-19)
find_program(FCSIM_BPFTOOL bpftool PATHS /usr/sbin /sbin)
pkg_check_modules(BPF IMPORTED_TARGET libbpf)
if(NOT FCSIM_TRACEPOINTS)
  set(FCSIM_TRACEPOINTS_LACK "this fcsim was built with FCSIM_TRACEPOINTS off")
elseif(NOT FCSIM_BPF_CLANG)
  set(FCSIM_TRACEPOINTS_LACK "this fcsim was built without clang")
elseif(NOT FCSIM_BPFTOOL)
  set(FCSIM_TRACEPOINTS_LACK "this fcsim was built without bpftool")
elseif(NOT BPF_FOUND)
  set(FCSIM_TRACEPOINTS_LACK "this fcsim was built without libbpf")
elseif(NOT EXISTS "${FCSIM_BTF}")
  set(FCSIM_TRACEPOINTS_LACK "this fcsim was built where no kernel showed its types")
endif()

set(tracepoints_source "${CMAKE_CURRENT_SOURCE_DIR}/sim/machine/record/tracepoints")
set(tracepoints_user "${tracepoints_source}/probe.cpp")
if(FCSIM_TRACEPOINTS_LACK)
  message(STATUS "Recorder without the kernel's tracepoints: ${FCSIM_TRACEPOINTS_LACK}")
  set_source_files_properties("${tracepoints_user}" PROPERTIES COMPILE_DEFINITIONS
    "FCSIM_TRACEPOINTS_LACK=\"${FCSIM_TRACEPOINTS_LACK}\"")
  return()
endif()

set(tracepoints_build "${CMAKE_CURRENT_BINARY_DIR}/generated/tracepoints")
file(MAKE_DIRECTORY "${tracepoints_build}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  set(tracepoints_architecture x86)
else()
  set(tracepoints_architecture "${CMAKE_SYSTEM_PROCESSOR}")
endif()
add_custom_command(
  OUTPUT "${tracepoints_build}/vmlinux.h"
  COMMAND "${FCSIM_BPFTOOL}" btf dump file "${FCSIM_BTF}" format c > "${tracepoints_build}/vmlinux.h"
  VERBATIM)
add_custom_command(
  OUTPUT "${tracepoints_build}/tracepoints.bpf.o"
  COMMAND "${FCSIM_BPF_CLANG}" -g -O2 -Wall -Werror -target bpf
          -D__TARGET_ARCH_${tracepoints_architecture} -I "${tracepoints_build}"
          -I "${tracepoints_source}" -c "${tracepoints_source}/tracepoints.bpf.c"
          -o "${tracepoints_build}/tracepoints.bpf.o"
  DEPENDS "${tracepoints_source}/tracepoints.bpf.c" "${tracepoints_source}/records.h"
          "${tracepoints_build}/vmlinux.h"
  VERBATIM)
add_custom_command(
  OUTPUT "${tracepoints_build}/tracepoints.skel.h"
  COMMAND "${FCSIM_BPFTOOL}" gen skeleton "${tracepoints_build}/tracepoints.bpf.o" name
          tracepoints_bpf > "${tracepoints_build}/tracepoints.skel.h"
  DEPENDS "${tracepoints_build}/tracepoints.bpf.o"
  VERBATIM)
add_custom_target(fcsim_tracepoints DEPENDS "${tracepoints_build}/tracepoints.skel.h")
add_dependencies(fcsim_sim fcsim_tracepoints)
target_include_directories(fcsim_sim SYSTEM PRIVATE "${tracepoints_build}")
target_link_libraries(fcsim_sim PUBLIC PkgConfig::BPF)
if(FCSIM_STATIC)  # what a shared libbpf brings along
  target_link_libraries(fcsim_sim PUBLIC elf z)
endif()
set_source_files_properties("${tracepoints_user}" PROPERTIES COMPILE_DEFINITIONS FCSIM_TRACEPOINTS)
