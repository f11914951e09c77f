#!/usr/bin/env python3
"""Prints the rows of src/inproc/stacks/python_layout.{h,cpp} from the headers of CPython.

usage: gen_python_layout.py HEADERS ...

HEADERS is the folder with Python.h of one version (GIL build); a C compiler is needed. For a new
minor: put the printed rows into the two tables, run gen_python_opcodes.py, then tests/python_frames
with that interpreter.
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
#if V >= 0x030d0000
#include <internal/pycore_code.h>
#include <internal/pycore_runtime.h>
#endif
#if V >= 0x030e0000
#include <internal/pycore_debug_offsets.h>
#include <internal/pycore_instruments.h>
#include <internal/pycore_interpframe.h>
#endif
#include <stddef.h>
#include <stdio.h>

#define AT(type, field) (int)offsetof(type, field)
#define NONE -1

static void row(const int* numbers, int count) {
  printf("{0x%x", V >> 16);
  for (int i = 0; i < count; i++) printf(", %d", numbers[i]);
  printf("},\n");
}

int main(void) {
  const int layout[] = {
#if V >= 0x030d0000
    AT(PyThreadState, current_frame), NONE,
    AT(_PyInterpreterFrame, f_executable), AT(_PyInterpreterFrame, previous), AT(_PyInterpreterFrame, instr_ptr),
    AT(_PyInterpreterFrame, owner),
#elif V >= 0x030b0000
    AT(PyThreadState, cframe), AT(_PyCFrame, current_frame),
    AT(_PyInterpreterFrame, f_code), AT(_PyInterpreterFrame, previous), AT(_PyInterpreterFrame, prev_instr),
    AT(_PyInterpreterFrame, owner),
#else
    AT(PyThreadState, frame), NONE,
    AT(PyFrameObject, f_code), AT(PyFrameObject, f_back), AT(PyFrameObject, f_lasti), NONE,
#endif
#if V >= 0x030b0000
    NONE, AT(PyCodeObject, co_code_adaptive), AT(PyCodeObject, co_exceptiontable), AT(PyCodeObject, co_qualname),
    AT(PyCodeObject, co_linetable),
#elif V >= 0x030a0000
    AT(PyCodeObject, co_code), NONE, NONE, AT(PyCodeObject, co_name), AT(PyCodeObject, co_linetable),
#else
    AT(PyCodeObject, co_code), NONE, NONE, AT(PyCodeObject, co_name), AT(PyCodeObject, co_lnotab),
#endif
    AT(PyCodeObject, co_filename), AT(PyCodeObject, co_name), AT(PyCodeObject, co_firstlineno),
#if V >= 0x030d0000
    AT(PyCodeObject, co_executors),
#else
    NONE,
#endif
#if V >= 0x030c0000
    AT(PyCodeObject, _co_monitoring), AT(_PyCoMonitoringData, lines), AT(_PyCoMonitoringData, per_instruction_opcodes),
#else
    NONE, NONE, NONE,
#endif
    sizeof(PyASCIIObject), sizeof(PyCompactUnicodeObject),
#if V >= 0x030b0000
    AT(_PyInterpreterFrame, localsplus), AT(PyCodeObject, co_nlocalsplus),
    AT(_PyInterpreterFrame, f_globals), AT(_PyInterpreterFrame, f_locals),
#else
    AT(PyFrameObject, f_valuestack), NONE,
    AT(PyFrameObject, f_globals), AT(PyFrameObject, f_locals),
#endif
#if V >= 0x030e0000
    NONE,
#else
    AT(PyDictObject, ma_version_tag),
#endif
#if V >= 0x030c0000
    AT(PyThreadState, _status),
#else
    NONE,
#endif
    AT(PyCodeObject, co_flags),
  };
  row(layout, sizeof layout / sizeof *layout);
#if V >= 0x030d0000
#define WORD(field) AT(_Py_DebugOffsets, field) / 8
  const int words[] = {
    WORD(thread_state.current_frame), WORD(interpreter_frame.previous), WORD(interpreter_frame.executable),
    WORD(interpreter_frame.instr_ptr), WORD(interpreter_frame.owner), WORD(code_object.filename), WORD(code_object.name),
    WORD(code_object.qualname), WORD(code_object.linetable), WORD(code_object.firstlineno), WORD(code_object.co_code_adaptive),
    WORD(bytes_object.ob_size), WORD(bytes_object.ob_sval), WORD(unicode_object.state), WORD(unicode_object.length),
    WORD(unicode_object.asciiobject_size),
  };
  row(words, sizeof words / sizeof *words);
#endif
  return 0;
}
"""


if __name__ == "__main__":
    sys.exit(header_rows.main("gen_python_layout.py", PROGRAM))
