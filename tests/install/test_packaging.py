# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sites install: recipe, container, module files, wrapper and release agree with the sources."""
import ast
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
RECIPE = ROOT / "packaging/spack/packages/gimbal/package.py"
CONTAINER = ROOT / "packaging/apptainer/gimbal.def"
VERSION = re.search(r"^project\(gimbal VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def cmake_options():
    """Every GIMBAL_ option and cache variable of the build."""
    text = "".join(path.read_text() for path in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")])
    return set(re.findall(r"(?:option|set)\((GIMBAL_\w+)", text))


class Packaging(unittest.TestCase):
    def folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="packaging-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def test_the_recipe_is_python_and_names_options_and_variants_that_exist(self):
        text = RECIPE.read_text()
        tree = ast.parse(text)
        recipe, = (node for node in tree.body if isinstance(node, ast.ClassDef))
        self.assertEqual((recipe.name, recipe.bases[0].id), ("Gimbal", "CMakePackage"))
        options = set(re.findall(r'define\("(GIMBAL_\w+)"', text))
        self.assertLessEqual(options, cmake_options())
        self.assertIn("GIMBAL_LLVM_SOURCE", options)
        variants = set(re.findall(r'variant\("(\w+)"', text))
        self.assertEqual(set(re.findall(r'"[+~](\w+)"', text)), variants, "each variant means something")

    def test_the_recipe_has_all_that_cmake_stops_without(self):
        names = {"CLI11": "cli11", "Git": "git", "LIBDW": "elfutils", "PROTOZERO_INCLUDE_DIR": "protozero", "PkgConfig": "pkgconfig",
                 "nlohmann_json": "nlohmann-json", "Threads": ""}
        needed = set()
        for folder in ("runtime", "omp_patch", "mpi_layer", "pinning", "tools"):
            for path in (ROOT / folder).rglob("CMakeLists.txt"):
                text = path.read_text()
                needed |= set(re.findall(r"(?:find_package|pkg_check_modules)\((\w+)[^)]*\bREQUIRED", text))
                needed |= set(re.findall(r"find_(?:path|library)\((\w+)[^)]*\)\nif\(NOT \1\)\n    message\(FATAL",
                                         text))
        self.assertEqual(needed, set(names), "names of spack's for what CMake needs")
        self.assertRegex(RECIPE.read_text(), r'depends_on\("python@3.11:", type=\("build", "run"\)\)',
                         "the build asks its own Python programs for their manual pages")
        has = set(re.findall(r'depends_on\("([\w-]+)', RECIPE.read_text()))
        self.assertLessEqual({name for name in names.values() if name}, has)

    def test_every_install_rule_names_a_component_that_a_package_has(self):
        packaged = set()
        for names in re.findall(r"gimbal_package\(NAME \S+ COMPONENTS ([a-z_ ]+) SECTION",
                                (ROOT / "cmake/GimbalPackages.cmake").read_text()):
            packaged |= set(names.split())
        files = [path for folder in ("runtime", "omp_patch", "mpi_layer", "pinning", "tools")
                 for path in (ROOT / folder).rglob("CMakeLists.txt")]
        rules = 0
        for path in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake"), *files]:
            text = re.sub(r'"(?:\\.|[^"\\])*"|#.*', "", path.read_text())
            for rule in re.findall(r"\binstall\(([^()]*)\)", text):
                rules += 1
                place = f"{path.relative_to(ROOT)}: install({' '.join(rule.split())})"
                found = re.findall(r"\bCOMPONENT ([a-z_]+|\$\{\w+\})", rule.replace("_${family}", "_mpich"))
                self.assertTrue(found, f"{place} is in no package")
                self.assertLessEqual({name for name in found if name != "${group}"}, packaged, place)
        self.assertGreater(rules, 30)

    def test_packages_that_a_command_names_are_recommended(self):
        named = re.findall(r"python3-\w+", (ROOT / "tools/gimbal/commands.hpp").read_text())
        recommended, = re.findall(r"NAME gimbal-tools .*?RECOMMENDS \"(.*?)\"",
                                  (ROOT / "cmake/GimbalPackages.cmake").read_text(), re.S)
        self.assertIn("python3-sklearn", named)
        self.assertLessEqual(set(named), set(recommended.split(", ")))

    def test_there_is_one_version(self):
        self.assertEqual(re.findall(r'^    version\("([^"]+)"', RECIPE.read_text(), re.M), [VERSION])
        self.assertEqual(re.findall(r"^    version=(\S+)", CONTAINER.read_text(), re.M), [VERSION])
        sha = re.search(r"^sha256=(\w+)", (ROOT / "omp_patch/fetch_llvm.sh").read_text(), re.M)[1]
        self.assertIn(f'sha256="{sha}"', RECIPE.read_text())

    def test_the_container_has_the_sections_that_apptainer_knows(self):
        lines = CONTAINER.read_text().splitlines()
        self.assertTrue(lines[0].startswith("Bootstrap: "), "a definition begins with its bootstrap")
        sections = [line.split()[0] for line in lines if line.startswith("%")]
        known = {"%arguments", "%files", "%post", "%runscript", "%test", "%labels", "%help", "%environment", "%startscript",
                 "%setup"}
        self.assertLessEqual(set(sections), known)
        stages = [line.split()[1] for line in lines if line.startswith("Stage:")]
        for line in lines:
            if line.startswith("%files from"):
                self.assertIn(line.split()[2], stages)
        for script in re.findall(r"^%(?:post|runscript|test)\n((?:    .*\n|\n)+)", CONTAINER.read_text(), re.M):
            subprocess.run(["sh", "-n"], input=script, text=True, check=True)
        self.assertRegex(CONTAINER.read_text(), r"\n    cd /opt/source\n    rm -rf build\b.*\n    \./dev packages\n")
        for command in re.findall(r"\./dev (\w+)", CONTAINER.read_text()):
            self.assertTrue(re.search(rf"^    {command}\)", (ROOT / "dev").read_text(), re.M), command)

    def test_shell_scripts_can_be_parsed(self):
        for script in [ROOT / "packaging/release.sh", ROOT / "packaging/debian/check_in_chroot.sh"]:
            subprocess.run(["bash", "-n", script], check=True)
        for script in [ROOT / "packaging/gimbal-preload", ROOT / "packaging/make_manual.sh"]:
            subprocess.run(["sh", "-n", script], check=True)

    def module(self, name):
        """An installed module file; its prefix has blanks."""
        values = {"PROJECT_VERSION": VERSION, "CMAKE_INSTALL_DATADIR": "share", "CMAKE_INSTALL_BINDIR": "bin",
                  "CMAKE_INSTALL_MANDIR": "share/man", "CMAKE_INSTALL_LIBDIR": "lib"}
        text = re.sub(r"@(\w+)@", lambda found: values[found[1]],
                      (ROOT / "packaging/modules" / f"gimbal.{name}.in").read_text())
        path = self.folder() / "a prefix/share/modulefiles/gimbal" / (VERSION + (".lua" if name == "lua" else ""))
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return path, path.parents[3]

    @unittest.skipUnless(shutil.which("tclsh"), "no tclsh is installed")
    def test_the_tcl_module_finds_its_prefix(self):
        path, prefix = self.module("tcl")
        stubs = "proc module-whatis {text} {}\nproc conflict {name} {}\nproc prepend-path {name value} {puts $name=$value}\n"
        script = f"{stubs}set ModulesCurrentModulefile {{{path}}}\nsource {{{path}}}\n"
        said = subprocess.run(["tclsh"], input=script, text=True, capture_output=True, check=True).stdout.splitlines()
        self.assertEqual(said[0], f"PATH={prefix}/bin")
        self.assertIn(f"CMAKE_PREFIX_PATH={prefix}", said)

    @unittest.skipUnless(shutil.which("lua"), "no lua is installed")
    def test_the_lua_module_finds_its_prefix(self):
        path, prefix = self.module("lua")
        stubs = ("for _, name in ipairs({'help', 'whatis', 'conflict'}) do _G[name] = function() end end\n"
                 "function pathJoin(...) return table.concat({...}, '/') end\n"
                 "function prepend_path(name, value) print(name .. '=' .. value) end\n"
                 f"function myFileName() return [[{path}]] end\n")
        said = subprocess.run(["lua", "-"], input=stubs + path.read_text(), text=True, capture_output=True,
                              check=True).stdout.splitlines()
        self.assertEqual(said[0], f"PATH={prefix}/bin")

    def test_the_wrapper_sets_the_preload_for_the_program_only(self):
        prefix = self.folder() / "prefix"
        for name in ("bin", "lib/gimbal"):
            (prefix / name).mkdir(parents=True)
        shutil.copy(ROOT / "packaging/gimbal-preload", prefix / "bin")
        wrapper, program = prefix / "bin/gimbal-preload", prefix / "program"
        program.write_text('#!/bin/sh\necho "$LD_PRELOAD|$GIMBAL_SCHEDULE|$1"\n')
        program.chmod(0o755)
        environment = {"PATH": os.environ["PATH"]}

        def run(**more):
            return subprocess.run([wrapper, program, "a b"], env=environment | more, text=True, capture_output=True)

        (prefix / "lib/libomp.so").write_text("of a compiler")
        lost = run()
        self.assertEqual(lost.returncode, 2)
        self.assertIn("the patched OpenMP runtime was not found", lost.stderr)
        (prefix / "CMakeCache.txt").write_text("")
        self.assertEqual(run().stdout, f"{prefix / 'lib/libomp.so'}|runtime|a b\n", "a build tree")
        library = prefix / "lib/gimbal/libomp.so"
        library.write_text("")
        self.assertEqual(run().stdout, f"{library}|runtime|a b\n")
        self.assertEqual(run(GIMBAL_SCHEDULE="fac2").stdout, f"{library}|fac2|a b\n")
        settings = prefix / "settings.toml"
        for text, schedule in (('schedule = "gss,4"\n', ""), ('report = "off"\n\n  "schedule"="gss,4"\n', ""),
                               ('report = "off"\nmpi_schedule = "ss"\n# schedule = "gss"\n', "runtime")):
            settings.write_text(text)
            self.assertEqual(run(GIMBAL_CONFIG=str(settings)).stdout, f"{library}|{schedule}|a b\n", text)
        self.assertEqual(run(GIMBAL_CONFIG="lost.toml").stdout, f"{library}|runtime|a b\n")
        blank = prefix.rename(prefix.with_name("with blank"))
        refused = subprocess.run([blank / "bin/gimbal-preload", "true"], env=environment, text=True, capture_output=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("has a blank or a colon", refused.stderr)

    def configure(self, text, name=".", **more):
        """A project of this text, and what CMake says when it configures it."""
        project = self.folder() / name
        project.mkdir(exist_ok=True)
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\n" + text)
        return project, subprocess.run(["cmake", "-S", project, "-B", project / "build"], text=True,
                                       capture_output=True, env=os.environ | more)

    @unittest.skipUnless(shutil.which("cmake"), "no cmake is in PATH")
    def test_without_llvm_source_cmake_says_what_to_give_it(self):
        project, done = self.configure(f"project(part NONE)\nadd_subdirectory({ROOT / 'omp_patch'} omp_patch)\n",
                                       XDG_CACHE_HOME="/of/mine")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("-DGIMBAL_LLVM_SOURCE=/of/mine/gimbal/llvm-19.1.7\n", done.stderr)
        self.assertIn("llvm=${DEV_LLVM_SOURCE:-$cache/llvm-19.1.7}\n", (ROOT / "dev").read_text())

    @unittest.skipUnless(shutil.which("cmake"), "no cmake is in PATH")
    def test_another_llvm_is_refused_with_both_versions(self):
        source = self.folder()
        for path, text in (("openmp/runtime/src/kmp_dispatch.cpp", ""), ("cmake/Modules/LLVMVersion.cmake", "".join(
                f"if(NOT DEFINED LLVM_VERSION_{part})\n  set(LLVM_VERSION_{part} {number})\nendif()\n"
                for part, number in (("MAJOR", 20), ("MINOR", 1), ("PATCH", 8))))):
            (source / path).parent.mkdir(parents=True)
            (source / path).write_text(text)
        text = (f"project(part NONE)\nset(GIMBAL_LLVM_SOURCE {source})\n"
                f"add_subdirectory({ROOT / 'omp_patch'} omp_patch)\n")
        said = " ".join(self.configure(text, XDG_CACHE_HOME="/of/mine")[1].stderr.split())
        self.assertIn("holds LLVM 20.1.8; Gimbal's patch fits the unchanged LLVM 19.1.7 only", said)
        self.assertIn("remove it; else unset DEV_LLVM_SOURCE", said)
        self.assertIn("-DGIMBAL_LLVM_SOURCE=/of/mine/gimbal/llvm-19.1.7", said)
        (source / "cmake/Modules/LLVMVersion.cmake").unlink()
        said = " ".join(self.configure(text)[1].stderr.split())
        self.assertIn("holds LLVM of an unknown version; Gimbal's patch fits the unchanged LLVM 19.1.7 only", said)

    def test_the_sums_are_those_of_the_patched_files(self):
        patched = re.findall(r"^--- a/(\S+)", (ROOT / "omp_patch/llvm-19.1.7.patch").read_text(), re.M)
        sums = (ROOT / "omp_patch/llvm-19.1.7.sha256").read_text()
        self.assertEqual(re.findall(r"^[0-9a-f]{64}  (\S+)$", sums, re.M), patched)

    @unittest.skipUnless(shutil.which("cmake"), "no cmake is in PATH")
    def test_a_blank_in_the_path_is_refused_before_anything_is_built(self):
        text = f"project(part NONE)\nadd_subdirectory({ROOT / 'omp_patch'} omp_patch)\n"
        project, done = self.configure(text, "a folder")
        self.assertIn("whose path has a blank", " ".join(done.stderr.split()))
        self.assertIn(str(project), done.stderr)

    def test_dev_needs_a_home_only_where_it_has_to_put_something_there(self):
        def dev(command):
            return subprocess.run([ROOT / "dev", command], env={"PATH": os.environ["PATH"]}, text=True,
                                  capture_output=True)

        for command in ("help", "patch"):
            self.assertEqual((dev(command).returncode, dev(command).stderr), (0, ""))
        done = dev("setup")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("dev: error: HOME is not set", done.stderr)
        self.assertIn("DEV_LLVM_SOURCE", done.stderr)

    @unittest.skipUnless(shutil.which("cmake"), "no cmake is in PATH")
    def test_the_type_of_build_is_chosen_for_gimbal_alone(self):
        text = f"project(gimbal C CXX)\ninclude({ROOT / 'cmake/GimbalDefaults.cmake'})\n"
        part = self.folder()
        (part / "CMakeLists.txt").write_text(text)
        for whole, chosen in ((text, "Release"), (f"project(whole C)\nadd_subdirectory({part} part)\n", "")):
            project, done = self.configure(whole)
            self.assertEqual(done.returncode, 0, done.stderr)
            cache = (project / "build/CMakeCache.txt").read_text()
            self.assertEqual(re.search(r"^CMAKE_BUILD_TYPE:STRING=(.*)$", cache, re.M)[1], chosen)

    def release(self, *words, change=""):
        """A release of a copy of what it touches."""
        copy = self.folder() / "copy"
        for name in ("CMakeLists.txt", "CHANGELOG.md", "packaging/release.sh", RECIPE.relative_to(ROOT),
                     CONTAINER.relative_to(ROOT)):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
        (copy / ".gitignore").write_text("/build/\n")
        environment = os.environ | {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
                                    "GIT_COMMITTER_EMAIL": "a@example.org", "GIMBAL_RELEASE_PACKAGES": "no"}
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
            subprocess.run(["git", *command], cwd=copy, env=environment, check=True)
        if change:
            (copy / change).write_text("changed\n")
        return copy, subprocess.run(["bash", copy / "packaging/release.sh", *words], env=environment, text=True,
                                    capture_output=True)

    @unittest.skipUnless(shutil.which("git"), "no git is installed")
    def test_a_release_is_one_command(self):
        copy, done = self.release("7.8.9")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("project(gimbal VERSION 7.8.9 ", (copy / "CMakeLists.txt").read_text())
        self.assertIn('version("7.8.9")', (copy / RECIPE.relative_to(ROOT)).read_text())
        self.assertIn("version=7.8.9\n", (copy / CONTAINER.relative_to(ROOT)).read_text())
        self.assertRegex((copy / "CHANGELOG.md").read_text(),
                         r"## \[Unreleased\]\n\n## \[7\.8\.9\] - \d{4}-\d\d-\d\d\n\n### Added\n")
        tag = subprocess.run(["git", "tag", "--points-at", "HEAD"], cwd=copy, text=True, capture_output=True).stdout
        self.assertEqual(tag, "v7.8.9\n")
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=copy / "build/release-7.8.9", check=True)

    @unittest.skipUnless(shutil.which("git"), "no git is installed")
    def test_a_release_of_something_else_is_refused(self):
        for words, change, said in ((["1.2"], "", "is not a version"), ([], "", "is not a version"),
                                    (["1.2.3"], "CHANGELOG.md", "not committed")):
            copy, done = self.release(*words, change=change)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            self.assertIn(f"VERSION {VERSION} ", (copy / "CMakeLists.txt").read_text())


if __name__ == "__main__":
    unittest.main()
