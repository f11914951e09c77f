"""The statement by which a value left a traced function: found in the source, when such an error is told.

Runs in Tenure's private namespace; `native`, `interceptors` and `statements` are given.
"""

import ast
import re

KEEPING = ("append", "add", "insert", "extend", "appendleft", "setdefault", "update", "put")


def statement(origin, names):
    """(file, function, line) of the statement that kept the value, or None where the source does not tell."""
    last = last_words(names)
    stores = stores_in(origin)
    for known in (
        [store for store in stores if store.word in last],
        [store for store in all_stores(origin) if store.word in last],
        stores,
    ):
        lines = sorted({store.place for store in known}, key=lambda place: place[2])
        if len(lines) == 1:
            return lines[0]
        made = interceptors["users"](origin.born)
        if made in [(file, function, line) for file, function, line in lines]:
            return made
    return None


def last_words(names):
    """The name of the variable, attribute or container: `key`, `cache` for `self.cache[3]`."""
    words = set()
    for name in names:
        bare = re.sub(r"\[[^\]]*\]$", "", name.strip("`"))
        words |= set(re.findall(r"[A-Za-z_]\w*", bare)[-1:])
        words |= set(re.findall(r"\['([A-Za-z_]\w*)'\]$", name.strip("`")))
    return words


class Store:
    """A statement that puts a value where it outlives the function."""

    def __init__(self, file, function, node, word):
        self.place = (file, function, node.lineno)
        self.word = word


def stores_in(origin):
    """Of the functions that ran when the value was made, from the traced one inwards."""
    lines = [(file, line) for file, _, line in origin.inside]
    lines += [(origin.file, origin.line)] if origin.file else []
    stores = []
    for file, line in lines:
        node = statements["function_at"](file, line)
        stores += stores_of(file, node) if node is not None else []
    return stores


def all_stores(origin):
    files = dict.fromkeys([file for file, _, _ in origin.inside] + [origin.file])
    functions = statements["functions_of"]
    return [s for file in files if file for n in functions(file) for s in stores_of(file, n)]


def stores_of(file, function):
    """Assignments to globals, to outer variables, to attributes and items, and calls such as append()."""
    name = getattr(function, "name", "<lambda>")
    body = function.body if isinstance(function.body, list) else [function.body]
    nodes = [node for part in body for node in ast.walk(part)]
    outer = {
        n for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for n in node.names
    }
    stores = []
    for node in nodes:
        for target in targets_of(node):
            word = word_of(target)
            is_local = isinstance(target, ast.Name) and not isinstance(node, ast.Call)
            if word and (word in outer or not is_local):
                stores.append(Store(file, name, node, word))
    return stores


def targets_of(node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [node.func.value] * (node.func.attr in KEEPING and is_keeping(node.func.value))
    return statements["targets_of"](node)


def is_keeping(receiver):
    """`cache.append(y)` keeps y; `x.at[0].add(y)` computes."""
    return not any(isinstance(n, ast.Attribute) and n.attr == "at" for n in ast.walk(receiver))


def word_of(target):
    """The last name in what is written to."""
    if isinstance(target, ast.Subscript):
        return word_of(target.value)
    if isinstance(target, ast.Attribute):
        return target.attr
    return target.id if isinstance(target, ast.Name) else None
