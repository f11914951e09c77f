#include "report/html.h"

#include <zlib.h>

#include "page_shell.inc"

namespace tenure::report {
namespace {

constexpr int kGzip = 15 + 16;  // zlib's word for the largest window, with the head of gzip
constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string gzip(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, MAX_MEM_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // it only reads
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t three = 0;
    for (size_t i = 0; i < 3; ++i)
      three = three << 8 | (at + i < bytes.size() ? static_cast<uint8_t>(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i)
      text += at + i <= bytes.size() ? kLetters[three >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::string joined_shell() {
  std::string shell;
  for (std::string_view piece : kPageShell) shell += piece;
  return shell;
}

}  // namespace

std::string_view page_shell() {
  static const std::string shell = joined_shell();
  return shell;
}

std::string html_page(std::string_view shell, std::string_view document) {
  const size_t mark = shell.find(kDataMark);
  if (mark == std::string_view::npos) return {};
  std::string page(shell.substr(0, mark));
  page += base64(gzip(document));
  return page += shell.substr(mark + kDataMark.size());
}

}  // namespace tenure::report
