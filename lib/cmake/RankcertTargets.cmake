# How every target of ours is compiled, and how a room of the house becomes a library.

# The flags of our own targets. They are private: nobody who uses our headers is given any of them.
add_library(rankcert_build_flags INTERFACE)
target_compile_features(rankcert_build_flags INTERFACE cxx_std_20)
target_compile_options(rankcert_build_flags INTERFACE
  -Wall -Wextra -Wconversion -Werror
  -ffp-contract=off)  # every fused multiply-add in our code is written as one

# rankcert_precompile(TARGET) compiles the headers that nearly all our sources include once for all targets like
# TARGET, which takes most of the time out of a build. It also puts rigor/trusted.hpp, the refusal of fast-math,
# before everything in every source. Objects and programs differ in their position-independence, so in their
# precompiled headers too.
function(rankcert_precompile target)
  get_target_property(type ${target} TYPE)
  set(shared rankcert_precompiled_${type})
  if(NOT TARGET ${shared})
    set(source ${PROJECT_BINARY_DIR}/precompiled_${type}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// carries the precompiled headers\n")
    if(type STREQUAL EXECUTABLE)
      add_executable(${shared} EXCLUDE_FROM_ALL ${source})
      file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    else()
      add_library(${shared} OBJECT EXCLUDE_FROM_ALL ${source})
      set_target_properties(${shared} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    target_include_directories(${shared} PRIVATE ${PROJECT_SOURCE_DIR}/lib/include ${PROJECT_SOURCE_DIR}/lib/src)
    target_link_libraries(${shared} PRIVATE rankcert_build_flags Boost::headers Eigen3::Eigen Threads::Threads)
    target_precompile_headers(${shared} PRIVATE
      ${PROJECT_SOURCE_DIR}/lib/src/rigor/trusted.hpp <boost/multiprecision/gmp.hpp> <Eigen/Core>
      <algorithm> <filesystem> <map> <optional> <string> <variant> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${shared})
endfunction()

# rankcert_add_room(NAME SOURCES... DEPENDS lower rooms... LINK libraries...)
# makes the object library rankcert_room_NAME. A room may use only rooms below it; its test links those and
# no others, so that a use of a higher room does not link.
function(rankcert_add_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  set(target rankcert_room_${name})
  if(NOT ROOM_SOURCES)  # a room that is not furnished yet
    file(TOUCH ${PROJECT_BINARY_DIR}/empty.cpp)
    set(ROOM_SOURCES ${PROJECT_BINARY_DIR}/empty.cpp)
  endif()
  add_library(${target} OBJECT ${ROOM_SOURCES})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/lib/include
                                              ${PROJECT_BINARY_DIR}/lib/include
                             PRIVATE ${PROJECT_SOURCE_DIR}/lib/src)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:rankcert_build_flags>)
  set(below)
  set(links ${ROOM_LINK})
  foreach(lower ${ROOM_DEPENDS})
    get_target_property(lower_below rankcert_room_${lower} RANKCERT_ROOMS)
    list(APPEND below ${lower_below})
    get_target_property(lower_links rankcert_room_${lower} RANKCERT_LINKS)
    list(APPEND links ${lower_links})
  endforeach()
  list(REMOVE_DUPLICATES links)
  target_link_libraries(${target} PUBLIC ${links})
  rankcert_precompile(${target})
  list(APPEND below ${name})
  list(REMOVE_DUPLICATES below)
  set_target_properties(${target} PROPERTIES RANKCERT_ROOMS "${below}" RANKCERT_LINKS "${links}")
endfunction()

# rankcert_link_rooms(TARGET rooms...) gives TARGET the objects of the rooms and of all rooms that these use.
function(rankcert_link_rooms target)
  set(all)
  foreach(room ${ARGN})
    get_target_property(below rankcert_room_${room} RANKCERT_ROOMS)
    list(APPEND all ${below})
  endforeach()
  list(REMOVE_DUPLICATES all)
  foreach(room ${all})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:rankcert_room_${room}>)
    get_target_property(links rankcert_room_${room} RANKCERT_LINKS)
    target_link_libraries(${target} PRIVATE ${links})
  endforeach()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/lib/include
                                               ${PROJECT_BINARY_DIR}/lib/include
                                               ${PROJECT_SOURCE_DIR}/lib/src)
endfunction()
