#include "analyze/run/frames.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/source_path.h"

namespace tenure::analyze {
namespace {

bool starts_with(const std::string& text, std::string_view start) {
  return text.rfind(start, 0) == 0;
}

std::string hex(const uint8_t* bytes, size_t n) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < n; ++i) text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
  return text;
}

bool is_system_program(const std::string& path) {
  return starts_with(path, "/usr/bin/") || starts_with(path, "/bin/") ||
         starts_with(path, "/usr/sbin/") || starts_with(path, "/sbin/");
}

// "+0x1a2b"
std::string at_offset(uint64_t offset) {
  char text[24];
  auto end = std::to_chars(text, text + sizeof text, offset, 16).ptr;
  return "+0x" + std::string(text, end);
}

bool is_native(const ledger::Frame& frame) {
  return frame.kind == static_cast<uint32_t>(ledger::FrameKind::native);
}

// The C++ library is part of the user's program, but no line of it is the user's.
bool is_of_tenure(const std::string& function) { return starts_with(function, "tenure::"); }

}  // namespace

bool Frames::is_user_module(uint32_t module) const {
  auto [entry, is_new] = user_modules_.try_emplace(module);
  if (is_new) entry->second = looks_like_users(module);
  return entry->second;
}

bool Frames::looks_like_users(uint32_t module) const {
  std::string path(ledger_.string(ledger_.module(module).path));
  std::string_view interpreter = ledger_.fact("interpreter");
  if (!interpreter.empty() && starts_with(path.empty() ? "program" : path, interpreter))
    return false;
  bool is_relative =
      !path.empty() && path.front() != '/';  // no system's library is loaded by such a name
  return (is_relative || !is_system_path(path)) && !is_of_package(path) &&
         !is_standard_library(path);
}

// In a Python program native code without lines is a library's, wherever it lies.
bool Frames::is_brought_by_user(uint32_t module) const {
  if (!is_user_module(module) || !ledger_.fact("interpreter").empty()) return false;
  const std::string path = address_of({.owner = module}, 0).module;
  return !is_system_path(path) && !is_system_program(path);
}

bool Frames::is_of_program(uint32_t module) const {
  std::string_view path = ledger_.string(ledger_.module(module).path);
  return is_user_module(module) || is_interpreter(path) || contains(path, "/lib-dynload/");
}

bool Frames::is_runtime(uint32_t module) const {
  std::string_view path = ledger_.string(ledger_.module(module).path);
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (std::string_view start : {"libc.", "libc-", "libstdc++.", "libc++.", "libc++abi."}) {
    if (name.substr(0, start.size()) == start) return true;
  }
  return false;
}

record::Address Frames::address_of(const ledger::Frame& frame, uint64_t offset) const {
  const ledger::Module& module = ledger_.module(frame.owner);
  std::string path(ledger_.string(module.path));
  if (path.empty()) path = ledger_.string(ledger_.header().executable);
  return {path,
          hex(module.build_id, std::min<size_t>(module.build_id_size, sizeof module.build_id)),
          offset};
}

void Frames::add_python(StackId node, const ledger::Frame& frame,
                        std::vector<ReadableFrame>& out) const {
  const ledger::Code& code = ledger_.code(frame.owner);
  ReadableFrame r;
  r.node = node;
  r.file = ledger_.string(code.file);
  r.line = static_cast<int>(frame.line);
  r.function = ledger_.string(code.name);
  r.is_python = frame.kind == static_cast<uint32_t>(ledger::FrameKind::python);
  r.is_user = is_user_file(r.file);
  out.push_back(std::move(r));
}

// What inlining has put together, innermost first. Code of the user's own that has no names is told by its address.
std::vector<ReadableFrame> Frames::native_frames(const ledger::Frame& frame) {
  record::Address address = address_of(frame, frame.address - 1);
  bool is_users = is_user_module(frame.owner);
  bool is_brought = is_brought_by_user(frame.owner);
  std::vector<record::SourceFrame> sources = symbols_.frames(address);
  if (sources.empty() && is_brought) sources.push_back({.function = at_offset(address.offset)});
  std::vector<ReadableFrame> found;
  for (const record::SourceFrame& source : sources) {
    ReadableFrame r;
    r.file = source.file.empty() ? address.module : source.file;
    r.line = source.line;
    r.function = source.function;
    r.is_system = is_system_path(source.file) || !is_users || is_of_tenure(source.function);
    r.is_user = !r.is_system && r.line > 0;
    r.is_lineless = !r.is_system && r.line == 0 && is_brought;
    found.push_back(std::move(r));
  }
  return found;
}

void Frames::add_native(StackId node, const ledger::Frame& frame, std::vector<ReadableFrame>& out) {
  uint32_t id = ledger_.stack(node).frame.value;
  auto [entry, is_new] = native_.try_emplace(id);
  if (is_new && frame.owner) entry->second = native_frames(frame);
  for (ReadableFrame r : entry->second) {
    r.node = node;
    out.push_back(std::move(r));
  }
}

void Frames::add(StackId node, std::vector<ReadableFrame>& out) {
  const ledger::Frame& frame = ledger_.frame(ledger_.stack(node).frame);
  if (is_native(frame))
    add_native(node, frame, out);
  else
    add_python(node, frame, out);
}

const std::vector<ReadableFrame>& Frames::of(StackId stack) {
  auto [entry, is_new] = known_.try_emplace(stack.value);
  if (!is_new) return entry->second;
  std::vector<ReadableFrame> frames;
  for (StackId node : ledger_.nodes(stack)) add(node, frames);
  return known_[stack.value] = std::move(frames);
}

std::vector<ReadableFrame> Frames::told_at(StackId node) {
  std::vector<ReadableFrame> told;
  const ledger::Frame& frame = ledger_.frame(ledger_.stack(node).frame);
  if (!is_native(frame) || is_user_module(frame.owner)) {
    add(node, told);
  } else if (frame.owner) {
    told.push_back({.node = node, .file = address_of(frame, 0).module, .is_system = true});
  }
  return told;
}

// Native code that is not the user's needs no symbols here: none of its frames can be the answer.
std::optional<ReadableFrame> Frames::find_frame_with_line(StackId stack) {
  std::optional<ReadableFrame> with_line;
  std::vector<ReadableFrame> frames;
  for (StackId node : ledger_.nodes(stack)) {
    const ledger::Frame& frame = ledger_.frame(ledger_.stack(node).frame);
    if (is_native(frame) && !is_user_module(frame.owner)) continue;
    frames.clear();
    add(node, frames);
    for (ReadableFrame& found : frames) {
      if (found.is_user) return std::move(found);
      if (!with_line && found.line > 0 && !found.is_system) with_line = found;
    }
  }
  return with_line;
}

bool Frames::is_of_adapters(const ledger::Site& site) const {
  if (!site.stack || !is_interpreter(ledger_.string(ledger_.module(site.asker.value).path)))
    return false;
  const ledger::Frame& frame = ledger_.frame(ledger_.stack(site.stack).frame);
  return frame.kind == static_cast<uint32_t>(ledger::FrameKind::python) &&
         is_adapter_file(ledger_.string(ledger_.code(frame.owner).file));
}

uint32_t Frames::import_depth(StackId stack) const {
  if (import_depths_.empty()) find_imports();
  return stack.value < import_depths_.size() ? import_depths_[stack.value] : 0;
}

// A stack comes after its outer one, so one pass finds all.
void Frames::find_imports() const {
  auto stacks = ledger_.stacks();
  std::unordered_map<uint32_t, bool> is_import_code;
  import_depths_.resize(std::max<size_t>(stacks.size(), 1));
  for (uint32_t i = 1; i < stacks.size(); ++i) {
    import_depths_[i] = import_depths_[ledger_.outer({i}).value];
    const ledger::Frame& frame = ledger_.frame(stacks[i].frame);
    if (frame.kind != static_cast<uint32_t>(ledger::FrameKind::python)) continue;
    auto [known, is_new] = is_import_code.try_emplace(frame.owner);
    if (is_new) known->second = is_importlib(ledger_.string(ledger_.code(frame.owner).file));
    if (known->second) import_depths_[i] = stacks[i].depth;
  }
}

bool Frames::is_below_exit(StackId stack) {
  std::vector<ReadableFrame> frames;
  for (StackId node : ledger_.nodes(stack)) {
    const ledger::Frame& frame = ledger_.frame(ledger_.stack(node).frame);
    if (!is_native(frame) || !frame.owner || is_user_module(frame.owner)) continue;
    std::string_view path = ledger_.string(ledger_.module(frame.owner).path);
    if (path.find("/libc.so") == path.npos) continue;
    add(node, frames);
  }
  return std::any_of(frames.begin(), frames.end(),
                     [](const ReadableFrame& frame) { return frame.function == "exit"; });
}

const ReadableFrame* Frames::frame_with_line(StackId stack) {
  auto [entry, is_new] = with_line_.try_emplace(stack.value);
  if (is_new) entry->second = find_frame_with_line(stack);
  return entry->second ? &*entry->second : nullptr;
}

const ReadableFrame* Frames::user_frame(StackId stack) {
  if (const ReadableFrame* frame = frame_with_line(stack)) return frame;
  const std::vector<ReadableFrame>& frames = of(stack);
  auto known = std::find_if(frames.begin(), frames.end(), [this](const ReadableFrame& frame) {
    const ledger::Frame& of_ledger = ledger_.frame(ledger_.stack(frame.node).frame);
    return !is_native(of_ledger) || !is_runtime(of_ledger.owner);
  });
  if (known != frames.end()) return &*known;
  return frames.empty() ? nullptr : &frames.front();
}

}  // namespace tenure::analyze
