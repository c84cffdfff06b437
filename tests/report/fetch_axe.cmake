# cmake -P fetch_axe.cmake: prints where axe-core is, which finds what readers cannot use.
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/NpmFile.cmake)
evenhand_npm_file(axe axe-core 4.14.0 axe.min.js
  20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878)
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${axe}")
