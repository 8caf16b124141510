"""Measures the source code of a checkout: files, lines, names, long functions, import circles, folders.

``python -m benchmarks.house [--tree FOLDER] [--tiers] --json``. Only the syntax trees of the files that git tracks are read:
another checkout can be measured without its environment. Product is all Python outside ``tests`` and ``stubs``. Rooms are
those of the checkout's import test. ``--tiers`` also runs ``make quick`` and ``make test`` and says how long they take.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOMS_FILE = "tests/architecture/test_rooms.py"
NOT_PRODUCT = ("tests", "stubs")
GENERATED_FOLDERS = ("docs/reference/rules/pictures",)
LONG_FUNCTION_LINES = 40
MANY_METHODS = 20
LONG_FILE_LINES = 300
MANY_FILES = 20
TIERS = ("quick", "test")

Functions = (ast.FunctionDef, ast.AsyncFunctionDef)


class Checkout:
    """The tracked files of a checkout, and the syntax trees of its product modules by name."""

    def __init__(self, top: Path) -> None:
        self.top = top
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=top, check=True, capture_output=True, text=True).stdout
        self.files = [Path(name) for name in listed.split("\0") if name and (top / name).exists()]
        self.python = [file for file in self.files if file.suffix == ".py"]
        self.product = [file for file in self.python if file.parts[0] not in NOT_PRODUCT]
        self.trees = {module_name(file): ast.parse((top / file).read_text(encoding="utf-8")) for file in self.product}
        self.lines = {file: len((top / file).read_text(encoding="utf-8").splitlines()) for file in self.python}
        self.rooms = rooms(ast.parse((top / ROOMS_FILE).read_text(encoding="utf-8")))

    def room(self, module: str) -> str:
        """The longest room whose name begins the module's, or the module's first package."""
        homes = [room for room in self.rooms if within(module, room)]
        return max(homes, key=len, default=module.partition(".")[0])


def module_name(file: Path) -> str:
    """The dotted name under which a file is imported."""
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def within(module: str, package: str) -> bool:
    """Whether a module is a package or stands in it."""
    return module == package or module.startswith(f"{package}.")


def rooms(tree: ast.Module) -> set[str]:
    """The keys of ``ROOMS`` and the members of ``ANYWHERE`` in the import test."""
    names: set[str] = set()
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id="ROOMS"), value=ast.Dict(keys=keys)):
                names |= {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
            case ast.Assign(targets=[ast.Name(id="ANYWHERE")], value=ast.Tuple(elts=elements)):
                names |= {item.value for item in elements if isinstance(item, ast.Constant) and isinstance(item.value, str)}
    return names


def nodes_below(node: ast.AST, for_types: bool) -> Iterator[ast.AST]:
    """All nodes below one; those below ``if TYPE_CHECKING`` only where asked for."""
    for child in ast.iter_child_nodes(node):
        if for_types or not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            yield child
            yield from nodes_below(child, for_types)


def imported(module: str, is_package: bool, node: ast.AST, modules: set[str]) -> Iterator[str]:
    """The modules of ours that an import statement names."""
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names if alias.name in modules)
        case ast.ImportFrom(module=stem, names=names, level=level):
            parts = module.split(".")
            above = parts[: len(parts) - level + is_package] if level else []
            package = ".".join([*above, *([stem] if stem else [])])
            for alias in names:
                whole = f"{package}.{alias.name}"
                if whole in modules or package in modules:
                    yield whole if whole in modules else package
        case _:
            return


def import_graph(checkout: Checkout, for_types: bool) -> dict[str, set[str]]:
    """Which product module imports which, wherever in the file; with or without imports that only the type checker follows."""
    modules = set(checkout.trees)
    packages = {module_name(file) for file in checkout.product if file.name == "__init__.py"}
    return {
        module: {name for node in nodes_below(tree, for_types) for name in imported(module, module in packages, node, modules)} - {module}
        for module, tree in checkout.trees.items()
    }


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan, 1972), without recursion."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for root, names in graph.items():
        work = [] if root in number else [(root, iter(sorted(names)))]
        while work:
            node, successors = work[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                stack.append(node)
            for successor in successors:
                if successor not in number:
                    work.append((successor, iter(sorted(graph[successor]))))
                    break
                if successor in stack:
                    low[node] = min(low[node], number[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    circle = stack[stack.index(node) :]
                    del stack[stack.index(node) :]
                    found += [sorted(circle)] if len(circle) > 1 else []
    return found


def unused_modules(checkout: Checkout, graph: dict[str, set[str]]) -> list[str]:
    """Modules that no other product module imports or names in a text, and that are not run by themselves."""
    named = {name for names in graph.values() for name in names}
    words = {
        node.value
        for tree in checkout.trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value
    }
    by_text = {module for module, names in graph.items() if "import_module" in ast.unparse(checkout.trees[module])}
    return [
        module
        for module, tree in checkout.trees.items()
        if module not in named
        and not any(within(word, module) for word in words)
        and any(isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Assign | ast.AnnAssign) for node in tree.body)
        and "__name__ == '__main__'" not in ast.unparse(tree)
        and module.partition(".")[0] not in ("benchmarks", "tools")
        and not any(within(module, package) for package in by_text if package.count("."))
        and not any(within(name, module) for name in named)
    ]


def measure(checkout: Checkout) -> dict[str, object]:
    """Every figure of a checkout, with the names of what is too long, too large or used twice."""
    classes = [(module, node) for module, tree in checkout.trees.items() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    homes: dict[str, set[str]] = defaultdict(set)
    for module, node in classes:
        homes[node.name].add(checkout.room(module))
    long_functions = {
        f"{module}:{node.name}": node.end_lineno - node.lineno + 1
        for module, tree in checkout.trees.items()
        for node in ast.walk(tree)
        if isinstance(node, Functions) and node.end_lineno and node.end_lineno - node.lineno + 1 > LONG_FUNCTION_LINES
    }
    methods = {f"{module}:{node.name}": sum(isinstance(item, Functions) for item in node.body) for module, node in classes}
    folders = Counter(str(file.parent) for file in checkout.files)
    folders = Counter({name: count for name, count in folders.items() if not name.startswith(GENERATED_FOLDERS)})
    running, typed = import_graph(checkout, for_types=False), import_graph(checkout, for_types=True)
    figures: dict[str, list[object] | dict[str, object]] = {
        "class_names_in_two_rooms": {name: sorted(places) for name, places in sorted(homes.items()) if len(places) > 1},
        "functions_over_40_lines": dict(sorted(long_functions.items())),
        "classes_over_20_methods": {name: count for name, count in sorted(methods.items()) if count > MANY_METHODS},
        "import_circles": list(circles(running)),
        "import_circles_with_types": list(circles(typed)),
        "folders_over_20_files": {name: count for name, count in folders.most_common() if count > MANY_FILES},
        "files_over_300_lines": {str(file): checkout.lines[file] for file in checkout.product if checkout.lines[file] > LONG_FILE_LINES},
        "modules_that_nothing_imports": list(unused_modules(checkout, typed)),
    }
    name, count = folders.most_common(1)[0]
    return {
        "files": len(checkout.product),
        "lines": sum(checkout.lines[file] for file in checkout.product),
        "test_lines": sum(checkout.lines[file] for file in checkout.python if file.parts[0] == "tests"),
        "test_support_lines": sum(lines for file, lines in checkout.lines.items() if file.parts[:2] == ("tests", "support")),
        "classes": len(classes),
        "largest_folder": f"{name}: {count}",
        **{name: len(found) for name, found in figures.items()},
        "found": figures,
    }


def tier_seconds(top: Path) -> dict[str, float | str]:
    """How long each tier takes (s), or that it failed."""
    taken: dict[str, float | str] = {}
    for tier in TIERS:
        began = time.monotonic()
        done = subprocess.run(["make", "--silent", tier], cwd=top, check=False, stdout=subprocess.DEVNULL)
        taken[tier] = round(time.monotonic() - began, 1) if done.returncode == 0 else f"failed with exit code {done.returncode}"
    return taken


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, default=Path(__file__).parents[1], help="the checkout to measure; this one by default")
    parser.add_argument("--tiers", action="store_true", help="also run and time make quick and make test")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = measure(Checkout(options.tree))
    if options.tiers:
        report["tier_seconds"] = tier_seconds(options.tree)
    if options.json:
        print(json.dumps(report, indent=1, ensure_ascii=False))
    else:
        print("\n".join(f"{name}: {value}" for name, value in report.items() if name != "found"))


if __name__ == "__main__":
    main()
