# DuckDB::DuckDB, its C library: an installed one (with duckdb.h beside it), else the shared library
# and the header from two npm packages at pinned versions. The header is the older one: the library has all that it declares.
set(EVENHAND_DUCKDB "auto" CACHE STRING "Where DuckDB comes from: auto, system or npm")
set_property(CACHE EVENHAND_DUCKDB PROPERTY STRINGS auto system npm)
include(${CMAKE_CURRENT_LIST_DIR}/NpmFile.cmake)

set(DuckDB_FROM "")
if(NOT EVENHAND_DUCKDB STREQUAL "npm")
  find_path(DuckDB_INCLUDE_DIR duckdb.h)
  find_library(DuckDB_LIBRARY duckdb)
  if(DuckDB_INCLUDE_DIR AND DuckDB_LIBRARY)
    set(DuckDB_FROM system)
  endif()
endif()
if(NOT DuckDB_FROM AND NOT EVENHAND_DUCKDB STREQUAL "system"
   AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  evenhand_npm_file(duckdb_header duckdb 1.4.4 src/duckdb/src/include/duckdb.h
    cbe6a827284375c5a646b8f27dbd3a00808ce8738b5bbb49c190cb1e08540281)
  evenhand_npm_file(duckdb_library @duckdb/node-bindings-linux-x64 1.5.6-r.1 libduckdb.so
    3f4962cdd266eab2b479a5b5a4a6d063d279b2954ae814ed00385d553b747633)
  evenhand_npm_file(DuckDB_LICENSE @duckdb/node-bindings-linux-x64 1.5.6-r.1 LICENSE
    7e17fd31249fa875cb3b1c5e05c6c3e99b75509f6a2804ca176c217834de1dcb)
  get_filename_component(DuckDB_INCLUDE_DIR "${duckdb_header}" DIRECTORY)
  set(DuckDB_LIBRARY "${duckdb_library}")
  set(DuckDB_FROM npm)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DuckDB REQUIRED_VARS DuckDB_LIBRARY DuckDB_INCLUDE_DIR)
if(DuckDB_FOUND AND NOT TARGET DuckDB::DuckDB)
  add_library(DuckDB::DuckDB SHARED IMPORTED)
  set_target_properties(DuckDB::DuckDB PROPERTIES IMPORTED_LOCATION "${DuckDB_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${DuckDB_INCLUDE_DIR}")
endif()
