#include "analyze/balance/unseen_growth.h"

#include <algorithm>
#include <cmath>

#include "analyze/balance/rules.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

struct Point {
  double position;   // on the axis
  double unseen;     // bytes
  double seen_then;  // the same, whatever became of it
  double small;      // bytes that are estimated
  Tick tick;
};

using Moments = std::vector<record::MemoryMoment>;

// A program with a heap of its own makes no block that is seen while it works: there is no axis but processor time.
bool works_without_births(const Activity& activity, const Moments& moments) {
  if (activity.start() > 0 || moments.empty()) return false;
  auto born = std::find_if(moments.begin(), moments.end(),
                           [](const record::MemoryMoment& m) { return m.tick > 0; });
  const uint64_t all = moments.back().cpu_ns;
  return (born == moments.end() ? all : born->cpu_ns) > all / 2;
}

// Blocks that are seen say nothing of how far a library has come with its own: processor time does, where it is known.
double position_of(const Activity& activity, const record::MemoryMoment& m) {
  return m.cpu_ns ? 1 - activity.work_after(m.tick, m.cpu_ns) : activity.position(m.tick);
}

Point point_of(double position, const record::MemoryMoment& m) {
  uint64_t counted = m.live + m.small + m.own;
  uint64_t unseen = m.anonymous > counted ? m.anonymous - counted : 0;
  const auto bytes = static_cast<double>(unseen);
  return {position, bytes, bytes, static_cast<double>(m.small), m.tick};
}

// From the last look before the program's own work to the one near the end that saw most.
std::vector<Point> points_of(const Activity& activity, const Moments& moments) {
  std::vector<Point> points;
  const bool is_by_cpu = works_without_births(activity, moments);
  for (const record::MemoryMoment& moment : moments) {
    const double cpu =
        is_by_cpu ? static_cast<double>(moment.cpu_ns) / static_cast<double>(moments.back().cpu_ns)
                  : 0;
    Point point = point_of(is_by_cpu ? cpu : position_of(activity, moment), moment);
    bool is_before = !points.empty() && point.position <= 0;
    if (is_before) points.clear();
    points.push_back(point);
  }
  auto end = std::find_if(points.begin(), points.end(),
                          [](const Point& p) { return p.position >= kEndOfAxis; });
  auto most = std::max_element(end, points.end(),
                               [](const Point& a, const Point& b) { return a.unseen < b.unseen; });
  if (most != points.end()) points.erase(most + 1, points.end());
  return points;
}

// What was never given back again until the last look: the least that any later one saw.
void keep_floor(std::vector<Point>& points) {
  for (size_t i = points.size(); i-- > 1;)
    points[i - 1].unseen = std::min(points[i - 1].unseen, points[i].unseen);
}

// The points between the first growth and the last, with the one before.
std::vector<Point> phase_of(const std::vector<Point>& points, double bytes) {
  const double first = points.front().unseen + kBeforePhase * bytes;
  const double last = points.back().unseen - kBeforePhase * bytes;
  auto begin =
      std::find_if(points.begin(), points.end(), [&](const Point& p) { return p.unseen > first; });
  auto end = std::find_if(begin, points.end(), [&](const Point& p) { return p.unseen >= last; });
  if (begin != points.begin()) --begin;
  return {begin, end == points.end() ? end : end + 1};
}

// Since the last look that was not later: what came between two looks counts as after.
double grown_after(const std::vector<Point>& points, double position) {
  double before = points.front().unseen;
  for (const Point& p : points) {
    if (p.position <= position) before = p.unseen;
  }
  return points.back().unseen - before;
}

size_t looks_that_saw_more(const std::vector<Point>& phase) {
  size_t count = 0;
  for (size_t i = 1; i < phase.size(); ++i) count += phase[i].unseen > phase[i - 1].unseen;
  return count;
}

// How far the growth is from an even pace, at any look: as a share of all of it.
double unevenness(const std::vector<Point>& phase) {
  const Point &first = phase.front(), &last = phase.back();
  const double length = last.position - first.position, bytes = last.unseen - first.unseen;
  if (length <= 0 || bytes <= 0) return 1;
  double most = 0;
  for (const Point& p : phase) {
    const double by_now = (p.unseen - first.unseen) / bytes;
    most = std::max(most, std::abs(by_now - (p.position - first.position) / length));
  }
  return most;
}

// Whether most of it came between two looks that are far apart: it may have come at once, or all along.
bool has_blind_gap(const std::vector<Point>& points) {
  const double bytes = points.back().unseen - points.front().unseen;
  for (size_t i = 1; i < points.size(); ++i) {
    const double added = points[i].unseen - points[i - 1].unseen;
    const bool is_far = points[i].position - points[i - 1].position > kBlindGap;
    if (is_far && added > kMostInBlindGap * bytes) return true;
  }
  return false;
}

// Whether there was as much before, and it was given back: the next tooth of a saw.
bool was_there_before(const std::vector<Point>& points, const std::vector<Point>& phase) {
  const double first = points.front().unseen, bytes = points.back().unseen - first;
  return std::any_of(points.begin(), points.end(), [&](const Point& p) {
    return p.position < phase.front().position && p.seen_then > first + kMostBefore * bytes;
  });
}

bool is_steady(const std::vector<Point>& points, const std::vector<Point>& phase) {
  const double bytes = points.back().unseen - points.front().unseen;
  const double middle = (phase.front().position + phase.back().position) / 2;
  return !was_there_before(points, phase) && looks_that_saw_more(phase) >= kLooksThatSawMore &&
         unevenness(phase) <= kMostUneven &&
         grown_after(phase, middle) >= kLaterHalfShare * bytes &&
         grown_after(points, kTwoThirds) >= kLastThirdShare * bytes;
}

}  // namespace

UnseenGrowth unseen_growth(const Activity& activity,
                           const std::vector<record::MemoryMoment>& moments, uint64_t retained) {
  UnseenGrowth growth;
  std::vector<Point> points = points_of(activity, moments);
  growth.is_measured = points.size() >= kLooksToTell;
  if (!growth.is_measured) return growth;
  keep_floor(points);
  growth.is_measured = !has_blind_gap(points);
  const double grown = points.back().unseen - points.front().unseen;
  const double rounding = kRoundingOfSmall * (points.back().small - points.front().small);
  const double left = grown - std::max(rounding, 0.0) - static_cast<double>(retained);
  if (left <= 0) return growth;
  growth.bytes = whole(left);
  const std::vector<Point> phase = phase_of(points, grown);
  growth.is_steady = is_steady(points, phase);
  growth.from = phase.front().tick;
  growth.to = phase.back().tick;
  return growth;
}

}  // namespace tenure::analyze
