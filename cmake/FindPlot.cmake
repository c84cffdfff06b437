# What draws the charts of a report: Observable Plot and d3, which it needs, from npm.
include(${CMAKE_CURRENT_LIST_DIR}/NpmFile.cmake)
evenhand_npm_file(D3_SCRIPT d3 7.9.2 dist/d3.min.js
  912111098ea99503a6f4967361d2bbdc9dbf58cf9c678c8e27e5b02d1a07f0c1)
evenhand_npm_file(D3_LICENSE d3 7.9.2 LICENSE
  2a6d2d5f32ba0b755ddbc1c833f766e30cdbe6ebe9a6d4e3e24427721f0b63d3)
evenhand_npm_file(Plot_SCRIPT @observablehq/plot 0.6.17 dist/plot.umd.min.js
  4358086467740777dd788d6b27a95cebdbaefdd50c730a3060117073bd7134cb)
evenhand_npm_file(Plot_LICENSE @observablehq/plot 0.6.17 LICENSE
  4b295e011e0e046170041b5b46f1349393aeceb95797793a55bd21dbb543363a)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Plot REQUIRED_VARS Plot_SCRIPT D3_SCRIPT)
