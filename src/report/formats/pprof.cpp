#include "report/formats/pprof.h"

#include <zlib.h>

#include <map>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>
#include <tuple>

#include "report/text.h"

namespace tenure::report {
namespace {

using analyze::ReadableFrame;
using analyze::StackSample;

// Field numbers of profile.proto.
namespace profile {
enum : protozero::pbf_tag_type {
  sample_type = 1,
  sample = 2,
  location = 4,
  function = 5,
  string_table = 6,
  time_nanos = 9,
  duration_nanos = 10,
  default_sample_type = 14
};
}
namespace value_type {
enum : protozero::pbf_tag_type { type = 1, unit = 2 };
}
namespace sample {
enum : protozero::pbf_tag_type { location_id = 1, value = 2, label = 3 };
}
namespace label {
enum : protozero::pbf_tag_type { key = 1, text = 2, number = 3 };
}
namespace location {
enum : protozero::pbf_tag_type { id = 1, line = 4 };
}
namespace line {
enum : protozero::pbf_tag_type { function_id = 1, number = 2 };
}
namespace function {
enum : protozero::pbf_tag_type { id = 1, name = 2, system_name = 3, filename = 4 };
}

class ProfileWriter {
 public:
  std::string write(const std::vector<StackSample>& samples, const ProfileFacts& facts) {
    text("");  // the first string is always the empty one
    for (Figure figure : kFigures) add_types(figure);
    for (const StackSample& sample : samples) add_sample(sample);
    message_.add_int64(profile::time_nanos, static_cast<int64_t>(facts.started_ns));
    constexpr double kNanoseconds = 1e9;
    message_.add_int64(profile::duration_nanos, static_cast<int64_t>(facts.seconds * kNanoseconds));
    message_.add_int64(profile::default_sample_type, text(type_of(facts.shown, "space")));
    for (const std::string& string : strings_) message_.add_string(profile::string_table, string);
    return std::move(data_);
  }

 private:
  // `peak_space`, as Go calls what it has of the kind: `inuse_space`.
  static std::string type_of(Figure figure, const char* what) {
    return std::string(name_of(figure)) + "_" + what;
  }

  int64_t text(const std::string& string) {
    auto [found, is_new] = texts_.try_emplace(string, strings_.size());
    if (is_new) strings_.push_back(valid_utf8(string));
    return static_cast<int64_t>(found->second);
  }

  void add_type(const std::string& type, const std::string& unit) {
    protozero::pbf_writer writer{message_, profile::sample_type};
    writer.add_int64(value_type::type, text(type));
    writer.add_int64(value_type::unit, text(unit));
  }

  void add_types(Figure figure) {
    add_type(type_of(figure, "space"), "bytes");
    add_type(type_of(figure, "objects"), "count");
  }

  void add_sample(const StackSample& source) {
    std::vector<uint64_t> locations;
    for (const ReadableFrame& frame : source.frames) locations.push_back(location_of(frame));
    std::vector<int64_t> values;
    for (Figure figure : kFigures) {
      const analyze::MemoryFigures figures = figures_of(source, figure);
      values.push_back(static_cast<int64_t>(figures.bytes));
      values.push_back(static_cast<int64_t>(figures.count));
    }
    const int64_t pid = text("pid"), kind = text("kind"), kind_name = text(source.kind);
    protozero::pbf_writer writer{message_, profile::sample};
    writer.add_packed_uint64(sample::location_id, locations.begin(), locations.end());
    writer.add_packed_int64(sample::value, values.begin(), values.end());
    {
      protozero::pbf_writer of_pid{writer, sample::label};
      of_pid.add_int64(label::key, pid);
      of_pid.add_int64(label::number, source.pid);
    }
    protozero::pbf_writer of_kind{writer, sample::label};
    of_kind.add_int64(label::key, kind);
    of_kind.add_int64(label::text, kind_name);
  }

  uint64_t location_of(const ReadableFrame& frame) {
    auto [found, is_new] =
        locations_.try_emplace({frame.file, frame.line, frame.function}, locations_.size() + 1);
    if (is_new) add_location(found->second, frame);
    return found->second;
  }

  void add_location(uint64_t id, const ReadableFrame& frame) {
    const uint64_t function = function_of(frame);
    protozero::pbf_writer writer{message_, profile::location};
    writer.add_uint64(location::id, id);
    protozero::pbf_writer of_line{writer, location::line};
    of_line.add_uint64(line::function_id, function);
    of_line.add_int64(line::number, frame.line);
  }

  uint64_t function_of(const ReadableFrame& frame) {
    auto [found, is_new] =
        functions_.try_emplace({frame.file, frame.function}, functions_.size() + 1);
    if (is_new) add_function(found->second, frame);
    return found->second;
  }

  void add_function(uint64_t id, const ReadableFrame& frame) {
    const int64_t name = text(frame_name(frame)), file = text(frame.file);
    protozero::pbf_writer writer{message_, profile::function};
    writer.add_uint64(function::id, id);
    writer.add_int64(function::name, name);
    writer.add_int64(function::system_name, name);
    writer.add_int64(function::filename, file);
  }

  std::string data_;
  protozero::pbf_writer message_{data_};
  std::map<std::string, size_t> texts_;
  std::vector<std::string> strings_;
  std::map<std::tuple<std::string, int, std::string>, uint64_t> locations_;
  std::map<std::pair<std::string, std::string>, uint64_t> functions_;
};

std::string gzipped(const std::string& text) {
  constexpr int kWindow = 15, kGzip = 16, kMemory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindow + kGzip, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("no memory to compress the profile");
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);  // there is room for all of it
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

}  // namespace

std::string pprof_message(const std::vector<StackSample>& samples, const ProfileFacts& facts) {
  return ProfileWriter().write(samples, facts);
}

std::string pprof(const std::vector<StackSample>& samples, const ProfileFacts& facts) {
  return gzipped(pprof_message(samples, facts));
}

}  // namespace tenure::report
