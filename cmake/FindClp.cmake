# Clp::Clp, COIN-OR's solver of linear programs (Debian: coinor-libclp-dev).
find_path(Clp_INCLUDE_DIR ClpSimplex.hpp PATH_SUFFIXES coin coin-or)
find_library(Clp_LIBRARY Clp)
find_library(Clp_CoinUtils_LIBRARY CoinUtils)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Clp
  REQUIRED_VARS Clp_LIBRARY Clp_CoinUtils_LIBRARY Clp_INCLUDE_DIR)
mark_as_advanced(Clp_INCLUDE_DIR Clp_LIBRARY Clp_CoinUtils_LIBRARY)
if(Clp_FOUND AND NOT TARGET Clp::Clp)
  add_library(Clp::Clp UNKNOWN IMPORTED)
  set_target_properties(Clp::Clp PROPERTIES IMPORTED_LOCATION "${Clp_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Clp_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${Clp_CoinUtils_LIBRARY}")
endif()
