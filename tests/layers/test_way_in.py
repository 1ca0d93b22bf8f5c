# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does runtime/way_in.ld still say where the code of the way into a loop lies?"""
import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ["LAYERS_SOURCE"])
BUILD = pathlib.Path(os.environ["LAYERS_BUILD"])
FROM_ELSEWHERE = {"_GLOBAL__N_1", "_Sp_counted_ptr_inplace"}


def names_in(mangled):
    """The identifiers of a name as the compiler spells it: a length stands before each."""
    names = []
    at = 0
    while number := re.compile(r"\d+").search(mangled, at):
        begin = number.end()
        length = int(number.group())
        names.append(mangled[begin : begin + length])
        at = begin + length
    return names


class WayIn(unittest.TestCase):
    def test_every_name_is_one_of_the_sources(self):
        script = (SOURCE / "runtime/way_in.ld").read_text()
        patterns = re.findall(r"\.text\.(\S+?)(?=[\s)])", script)
        self.assertGreater(len(patterns), 100)
        text = "\n".join(path.read_text() for path in (SOURCE / "runtime").rglob("*.[ch]pp"))
        words = set(re.findall(r"\w+", text)) | FROM_ELSEWHERE
        unknown = {name for pattern in patterns for name in names_in(pattern.removesuffix("*").removesuffix("C1"))
                   if name not in words}
        self.assertFalse(unknown, "names in runtime/way_in.ld that nothing has any more")

    def test_the_library_is_laid_out_so(self):
        placed = re.search(r"^GIMBAL_LINKER_PLACES_CODE:INTERNAL=(\S*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
        if not placed or placed.group(1) != "1":
            self.skipTest("a linker that places no code")
        library = BUILD / "lib/libgimbal.so"
        sections = subprocess.run(["readelf", "-SW", library], capture_output=True, text=True, check=True).stdout
        section = re.search(r"\.text\.way_in\s+PROGBITS\s+(\w+)\s+\w+\s+(\w+)", sections)
        self.assertTrue(section, "no section of its own")
        begin, size = (int(number, 16) for number in section.groups())
        symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        for function in ("open", "begin", "next", "leave", "close"):
            address = int(re.search(rf"^(\w+) T gimbal_loop_{function}@", symbols, re.M).group(1), 16)
            self.assertTrue(begin <= address < begin + size, function)


if __name__ == "__main__":
    unittest.main()
