"""Package files beside a library and its header, by which CMake and pkg-config find them. They hold no path of their own."""

from __future__ import annotations

import re

from ingot.base.errors import ToolchainError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")


def package_name(library: str) -> str:
    """The name under which `find_package` and `pkg-config` know the library of that file name: its stem without `lib`.

    Raises:
        ToolchainError: the file name is not one that CMake and pkg-config can handle.
    """
    stem = library.rpartition(".")[0] or library
    name = stem.removeprefix("lib") or stem
    if not _NAME.fullmatch(library) or not _NAME.fullmatch(name):
        raise ToolchainError(
            f"a library for CMake and pkg-config needs a file name of letters, digits and '_.+-', got {library!r}",
            name=library,
        )
    return name


def cmake_config(library: str, header: str) -> tuple[str, str]:
    """File name and text of the CMake package: `find_package(<name>)` gives the target `<name>::<name>`.

    Args:
        library: the library's file name.
        header: the header's file name, in the same folder.
    """
    name = package_name(library)
    text = f"""# Made by ingot. May be moved anywhere together with {library} and {header}.
if(NOT TARGET {name}::{name})
  add_library({name}::{name} SHARED IMPORTED)
  set_target_properties({name}::{name} PROPERTIES
    IMPORTED_LOCATION "${{CMAKE_CURRENT_LIST_DIR}}/{library}"
    IMPORTED_SONAME "{library}"
    INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_LIST_DIR}}")
endif()
"""
    return f"{name}Config.cmake", text


def cmake_version(library: str, version: str) -> tuple[str, str]:
    """File name and text of what `find_package(<name> <version>)` asks: `version` or an older one will do.

    Args:
        library: the library's file name.
        version: that of the ingot which made the library, digits and dots.
    """
    text = f"""set(PACKAGE_VERSION "{version}")
if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"""
    return f"{package_name(library)}ConfigVersion.cmake", text


def pkg_config(library: str, header: str, version: str, description: str) -> tuple[str, str]:
    """File name and text for pkg-config. `version` is that of the ingot which made the library."""
    name = package_name(library)
    words = re.sub(r"[^A-Za-z0-9 _.+-]", "_", description)[:200]
    text = f"""# Made by ingot. May be moved anywhere together with {library} and {header}.
prefix=${{pcfiledir}}

Name: {name}
Description: {words}
Version: {version}
Cflags: -I${{prefix}}
Libs: -L${{prefix}} -l:{library}
"""
    return f"{name}.pc", text
