"""Compiles sources and prints their code objects, for the unit tests: one JSON text per line in, one per line out.

In: {"files": [[name, source], ...], "modules": [name, ...], "effects": bool}; the modules are those of the
standard library. Out: the code objects of all of them, outer ones first; constants that are code
count among them. Runs on CPython 3.7+.
"""

import binascii
import dis
import importlib.util
import json
import sys
import types

LOCAL, CELL, FREE = 1, 2, 4
OTHER, NONE, NUMBER, TEXT, TEXTS, CODE = range(6)


def variables(code):
    if not hasattr(code, "co_qualname"):
        parts = [(code.co_varnames, LOCAL), (code.co_cellvars, CELL), (code.co_freevars, FREE)]
        return [[name, kind] for names, kind in parts for name in names]
    # The slots of 3.11+: an argument that is a cell has one for both.
    slots = [[name, LOCAL | CELL * (name in code.co_cellvars)] for name in code.co_varnames]
    cells = [name for name in code.co_cellvars if name not in code.co_varnames]
    return slots + [[name, CELL] for name in cells] + [[name, FREE] for name in code.co_freevars]


def constant(value, numbers):
    if value is None:
        return [NONE, "", 0]
    if isinstance(value, (bool, int, float)):
        return [NUMBER, "", 0]
    if isinstance(value, str):
        return [TEXT, value, 0]
    if isinstance(value, types.CodeType):
        return [CODE, "", numbers[id(value)]]
    if isinstance(value, tuple) and value and all(isinstance(item, str) for item in value):
        return [TEXTS, "\n".join(value), 0]
    return [OTHER, "", 0]


def all_codes(outer):
    codes = list(outer)
    for code in codes:
        codes.extend(value for value in code.co_consts if isinstance(value, types.CodeType))
    return codes


def effect(instruction):
    """On the depth of the stack, if the next instruction follows."""
    argument = instruction.arg
    try:
        return dis.stack_effect(instruction.opcode, argument, jump=False)
    except TypeError:  # 3.7 has no `jump`: it gives the larger of both, and these pop where they do not
        pops = instruction.opname in ("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP")
        return -1 if pops else dis.stack_effect(instruction.opcode, argument)
    except ValueError:
        return 0


def effects(code):
    instructions = [i for i in dis.get_instructions(code) if i.opname != "EXTENDED_ARG"]
    return [[i.offset, i.opname, effect(i)] for i in instructions]


def dump(code, numbers, wants_effects):
    qualified = getattr(code, "co_qualname", None)
    lines = code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab
    return {
        "file": code.co_filename,
        "name": qualified or code.co_name,
        "is_qualified": qualified is not None,
        "first_line": code.co_firstlineno,
        "flags": code.co_flags,
        "arguments": code.co_argcount,
        "keyword_only": code.co_kwonlyargcount,
        "instructions": binascii.hexlify(code.co_code).decode(),
        "lines": binascii.hexlify(lines).decode(),
        "names": list(code.co_names),
        "variables": variables(code),
        "constants": [constant(value, numbers) for value in code.co_consts],
        "effects": effects(code) if wants_effects else [],
    }


def code_of_module(name):
    return importlib.util.find_spec(name).loader.get_code(name)


def main():
    for line in sys.stdin:
        asked = json.loads(line)
        outer = [compile(text, name, "exec") for name, text in asked["files"]]
        codes = all_codes(outer + [code_of_module(name) for name in asked.get("modules", [])])
        numbers = {id(code): number for number, code in enumerate(codes)}
        dumped = [dump(code, numbers, asked.get("effects")) for code in codes]
        answer = {"python": sys.version_info[0] << 8 | sys.version_info[1], "codes": dumped}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
