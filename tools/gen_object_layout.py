#!/usr/bin/env python3
"""Prints the rows of src/inproc/snapshot/object_layout.h from the headers of CPython.

usage: gen_object_layout.py HEADERS ...

HEADERS is the folder with Python.h of one version (GIL build); a C compiler is needed. For a new
minor: put the printed row into the table, then run tests/snapshot with that interpreter.
"""

from __future__ import annotations

import sys

import header_rows

PROGRAM = r"""
#include <Python.h>
#define V PY_VERSION_HEX
#if V >= 0x030b0000
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#else
#include <frameobject.h>
#include <code.h>
#endif
#if V >= 0x030e0000
#include <internal/pycore_genobject.h>
#include <internal/pycore_interpframe.h>
#endif
#include <stddef.h>
#include <stdio.h>

#define AT(type, field) (int)offsetof(type, field)
#define NONE -1
#define CODE_PARTS \
  AT(PyCodeObject, co_consts), AT(PyCodeObject, co_names), AT(PyCodeObject, co_flags), \
      AT(PyCodeObject, co_argcount), AT(PyCodeObject, co_kwonlyargcount)

int main(void) {
  const int row[] = {
    AT(PyThreadState, thread_id),
#if V >= 0x030b0000
    AT(struct _frame, f_frame), AT(_PyInterpreterFrame, localsplus),
#if V >= 0x030e0000
    NONE,
#else
    AT(_PyInterpreterFrame, stacktop),
#endif
#if V >= 0x030c0000
    AT(_PyInterpreterFrame, f_funcobj),
#else
    AT(_PyInterpreterFrame, f_func),
#endif
    AT(_PyInterpreterFrame, f_locals), AT(_PyInterpreterFrame, f_globals),
    AT(PyCodeObject, co_nlocalsplus), AT(PyCodeObject, co_stacksize), AT(PyCodeObject, co_localsplusnames),
    NONE, NONE, NONE, AT(PyCodeObject, co_localspluskinds), CODE_PARTS, AT(PyGenObject, gi_iframe),
#else
    NONE, AT(PyFrameObject, f_localsplus), NONE, NONE, AT(PyFrameObject, f_locals), AT(PyFrameObject, f_globals),
    NONE, NONE, NONE, AT(PyCodeObject, co_varnames), AT(PyCodeObject, co_cellvars), AT(PyCodeObject, co_freevars),
    NONE, CODE_PARTS, NONE,
#endif
    AT(PyFunctionObject, func_qualname), AT(PyFunctionObject, func_code), AT(PyFunctionObject, func_defaults),
    AT(PyFunctionObject, func_kwdefaults), AT(PyFunctionObject, func_closure),
    AT(PyBaseExceptionObject, traceback), AT(PyBaseExceptionObject, context), AT(PyBaseExceptionObject, cause),
    AT(PyHeapTypeObject, ht_cached_keys), V >= 0x03080000 ? 16 : 32,
  };
  printf("{0x%x", V >> 16);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) printf(", %d", row[i]);
  printf("},\n");
  return 0;
}
"""


if __name__ == "__main__":
    sys.exit(header_rows.main("gen_object_layout.py", PROGRAM))
