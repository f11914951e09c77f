// tests/unit/inproc/fake_python.h: an interpreter made of bytes.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "inproc/stacks/python_frames.h"
#include "python_objects.h"

namespace tenure::inproc {

// CPython 3.11 with one thread. Frames and code objects are blocks of zeros with the fields the
// reader looks at.
struct FakePython {
  FakePython() {
    symbols.clear();
    put<const void*>(code_type, kObjectType, type_type.data());
    symbols["Py_Version"] = &version;
    symbols["Py_GetVersion"] = reinterpret_cast<void*>(&get_version);
    symbols["PyGILState_GetThisThreadState"] = reinterpret_cast<void*>(&get_thread_state);
    symbols["_PyThreadState_UncheckedGet"] = reinterpret_cast<void*>(&get_running);
    symbols["PyCode_Type"] = code_type.data();
    symbols["PyType_Type"] = type_type.data();
    symbols["PyInterpreterState_Head"] = reinterpret_cast<void*>(&get_newest);
    symbols["PyInterpreterState_Main"] = reinterpret_cast<void*>(&get_main);
    put<const void*>(thread, layout.thread_frame, cframe.data());
    thread_state = thread.data();
    running = nullptr;
    newest_interpreter = main_interpreter = &symbols;
    version_text = "3.11.7 (main)";
  }

  Object& keep(Object object) {
    return *objects.emplace_back(std::make_unique<Object>(std::move(object)));
  }

  const Object& add_code(const std::string& file, const std::string& name, int first_line) {
    Object& code = keep(Object(256));
    put<const void*>(code, kObjectType, code_type.data());
    put<const void*>(code, layout.code_file, keep(ascii_str(layout, file)).data());
    put<const void*>(code, layout.code_name, keep(ascii_str(layout, name)).data());
    put<const void*>(code, layout.code_qualname, keep(ascii_str(layout, "Outer." + name)).data());
    put<const void*>(code, layout.code_lines,
                     keep(bytes_object("\xef\x02\xef\x02")).data());  // 8 units a line
    put<int32_t>(code, layout.code_first_line, first_line);
    return code;
  }
  void call(const Object& code, int lasti) {
    Object& frame = keep(Object(96));
    put<const void*>(frame, layout.frame_code, code.data());
    put<const void*>(frame, layout.frame_back, load_pointer(cframe.data(), layout.cframe_frame));
    put<const void*>(frame, layout.frame_instruction, code.data() + layout.code_units + lasti);
    put<const void*>(cframe, layout.cframe_frame, frame.data());
  }

  static void* lookup(const char* name) {
    const auto found = symbols.find(name);
    return found == symbols.end() ? nullptr : found->second;
  }
  static const char* get_version() { return version_text; }
  static void* get_thread_state() { return thread_state; }
  static void* get_running() { return running; }
  static void* get_newest() { return newest_interpreter; }
  static void* get_main() { return main_interpreter; }

  static inline std::map<std::string, void*> symbols;
  static inline void* thread_state;
  static inline void* running;  // the thread that runs Python code; nullptr: none does
  static inline void* newest_interpreter;
  static inline void* main_interpreter;
  static inline const char* version_text;

  const PythonLayout& layout = *python_layout(0x30b);
  unsigned long version = 0x030b07f0;
  Object code_type = Object(64), type_type = Object(64), thread = Object(128), cframe = Object(32);
  std::vector<std::unique_ptr<Object>> objects;
};

}  // namespace tenure::inproc
