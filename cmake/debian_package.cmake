# The Debian package: `cpack -G DEB` in the build folder.

# Who answers for a package is who builds it. As Debian's own tools ask: DEBFULLNAME and DEBEMAIL,
# then git; at last the local mail address.
function(fcsim_maintainer result)
  set(maintainer "")
  if(DEFINED ENV{DEBEMAIL})
    set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
  else()
    foreach(arguments IN ITEMS "var;GIT_AUTHOR_IDENT" "log;-1;--format=%an <%ae>")
      execute_process(COMMAND git ${arguments} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
                      OUTPUT_VARIABLE identity OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      if(NOT maintainer AND identity MATCHES "^[^<]+<[^>]+@[^>]+>")
        string(REGEX MATCH "^[^<]+<[^>]+>" maintainer "${identity}")
      endif()
    endforeach()
  endif()
  if(NOT maintainer)
    cmake_host_system_information(RESULT host QUERY FQDN)
    set(maintainer "root <root@${host}>")
  endif()
  set(${result} "${maintainer}" PARENT_SCOPE)
endfunction()

# Debian wants man pages and changelogs compressed, the same bytes each time.
function(fcsim_install_compressed source name destination)
  set(compressed "${CMAKE_CURRENT_BINARY_DIR}/generated/${name}.gz")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  execute_process(COMMAND gzip -9nc "${source}" OUTPUT_FILE "${compressed}"
                  COMMAND_ERROR_IS_FATAL ANY)
  install(FILES "${compressed}" DESTINATION "${destination}")
endfunction()

fcsim_maintainer(FCSIM_MAINTAINER)
execute_process(COMMAND git log -1 --format=%cD WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
                OUTPUT_VARIABLE FCSIM_DATE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT FCSIM_DATE)
  set(FCSIM_DATE "Thu, 01 Jan 1970 00:00:00 +0000")
endif()
configure_file(cmake/changelog.in generated/changelog @ONLY)
fcsim_install_compressed("${CMAKE_CURRENT_BINARY_DIR}/generated/changelog" changelog
                         "${CMAKE_INSTALL_DOCDIR}")
fcsim_install_compressed("${CMAKE_CURRENT_SOURCE_DIR}/docs/man/fcsim.1" fcsim.1
                         "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES cmake/copyright DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fcsim)
set(CPACK_PACKAGE_CONTACT "${FCSIM_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predicts what ext4's journal will do with a workload")
set(CPACK_PACKAGE_DESCRIPTION
    "Predicts offline, from a recorded strace, how many fsyncs become fast commits,
how many fall back to full JBD2 commits and why, in the kernel's own counters.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "strace, zstd, e2fsprogs")  # record, and images
include(CPack)
