// tests/unit/report/html_test.cpp: the page as a file: what went in comes out, nothing of it is markup, and it stays small.
#include "report/html.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <random>

#include "report/page_json.h"
#include "sample_findings.h"

namespace tenure::report {
namespace {

constexpr std::string_view kShell = "<script id=\"data\">@TENURE_DATA@</script><p>after</p>";

std::string data_in(const std::string& page) {
  const size_t begin = page.find('>') + 1;
  return page.substr(begin, page.find('<', begin) - begin);
}

std::string from_base64(const std::string& text) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (char letter : text) {
    const size_t value = kLetters.find(letter);
    if (value == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

std::string unpacked(const std::string& packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string text(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(Html, HoldsTheDocumentWhateverItsLength) {
  for (size_t length : {0u, 1u, 2u, 3u, 4u, 1000u}) {
    std::string document;
    for (size_t i = 0; i < length; ++i) document += static_cast<char>('a' + i % 7);
    EXPECT_EQ(unpacked(from_base64(data_in(html_page(kShell, document)))), document);
  }
}

TEST(Html, HasNothingOfTheDocumentAsMarkup) {
  const std::string page = html_page(kShell, "</script><img src=x onerror=alert(1)>");
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("</script>"), page.rfind("</script>"));
  EXPECT_NE(page.find("<p>after</p>"), std::string::npos);
}

TEST(Html, IsTheSameForTheSameDocument) {
  EXPECT_EQ(html_page(kShell, "{}"), html_page(kShell, "{}"));
}

TEST(Html, WithoutAPlaceForTheDataIsNoPage) { EXPECT_EQ(html_page("<p></p>", "{}"), ""); }

nlohmann::json parsed(const analyze::Findings& findings, const analyze::Page& page,
                      size_t most_rows = SIZE_MAX) {
  PageOptions options;
  options.directory = "/srv/app";
  options.most_rows = most_rows;
  return nlohmann::json::parse(page_json(findings, page, options));
}

TEST(PageJson, HasTheFindingsAsTheirFileHasThemAndTheirSentences) {
  const nlohmann::json document = parsed(leaking_run(), {});
  EXPECT_EQ(document["schema"], "tenure-page/1");
  EXPECT_EQ(document["findings"]["verdict"], "leak");
  EXPECT_EQ(document["findings"]["findings"][0]["fix"], "store loss.item() or loss.detach()");
  EXPECT_EQ(document["words"]["headlines"][0], "12.4 MiB every step, 2.6 GiB now");
  EXPECT_EQ(document["words"]["advice"], "");
}

TEST(PageJson, TextIsWrittenOnceAndStaysText) {
  analyze::Page page;
  analyze::PageProcess process;
  for (int i = 0; i < 3; ++i) {
    analyze::PageLine line;
    line.place = {"<img src=x>\x01.py", i, "f", PlaceRole::made_at, "a\tb\n"};
    process.lines.push_back(line);
  }
  page.processes.push_back(process);
  const nlohmann::json document = parsed(clean_run(), page);
  const nlohmann::json& lines = document["processes"][0]["lines"];
  EXPECT_EQ(lines["file"][0], lines["file"][2]);
  EXPECT_EQ(document["strings"][lines["file"][0].get<size_t>()], "<img src=x>\uFFFD.py");
  EXPECT_EQ(document["strings"][lines["source"][0].get<size_t>()], "a b");
}

TEST(PageJson, ListsAreCutToTheRowsThatAreAskedFor) {
  analyze::Findings findings = leaking_run();
  findings.considered.resize(100);
  analyze::Page page;
  page.processes.emplace_back();
  page.processes[0].lines.resize(100);
  page.processes[0].blocks.resize(100);
  const nlohmann::json document = parsed(findings, page, 10);
  EXPECT_EQ(document["findings"]["considered"].size(), 10u);
  EXPECT_EQ(document["words"]["considered"].size(), 10u);
  EXPECT_EQ(document["processes"][0]["lines"]["file"].size(), 10u);
  EXPECT_EQ(document["processes"][0]["blocks"].size(), 10u);
}

// The worst that the bounds of analyze/page allow, in names that do not compress.
TEST(PageJson, TheLargestPageStaysBelowFiveMegabytes) {
  std::mt19937_64 random(1);
  const auto name = [&](size_t length) {
    std::string text;
    while (text.size() < length) text += "0123456789abcdefghijklmnopqrstuv"[random() % 32];
    return text;
  };
  analyze::Page page;
  analyze::PageProcess process;
  for (int i = 0; i < 1500; ++i) {
    analyze::PageLine line;
    line.place = {name(120), i, name(60), PlaceRole::made_at, name(100)};
    line.peak_bytes = random();
    for (uint64_t s = 0; i < 300 && s < 48; ++s)
      line.births.push_back({s * 1000, s * 1000 + 999, double(random() % kGiB), 5e5, 7});
    process.lines.push_back(line);
  }
  for (uint32_t i = 0; i < 12000; ++i) {
    process.calls.push_back({i / 2, name(60), "file" + std::to_string(i % 500), int(i), true,
                             random() % kGiB, random() % kGiB, random() % kGiB});
  }
  page.processes.push_back(process);
  PageOptions options;
  options.most_rows = 4000;
  const std::string html = html_page(kShell, page_json(leaking_run(), page, options));
  EXPECT_GT(html.size(), 500'000u);
  EXPECT_LT(html.size(), 5'000'000u);
}

}  // namespace
}  // namespace tenure::report
