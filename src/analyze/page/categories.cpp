#include "analyze/page/categories.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analyze/run/allocating_op.h"

namespace tenure::analyze {
namespace {

using Series =
    std::vector<double>;  // bytes, parallel to the looks of the supervisor, or to the moments

// Code in which TensorFlow adds to a graph: operations, and the values of constants.
bool is_of_graph(const ledger::Reader& ledger, const ledger::Code& code) {
  const std::string_view file = ledger.string(code.file), name = ledger.string(code.name);
  if (file.ends_with("/tensorflow/python/framework/constant_op.py")) return true;
  return file.ends_with("/tensorflow/python/framework/ops.py") &&
         (name.ends_with("_create_c_op") || name.ends_with("from_node_def") ||
          name.ends_with("_create_op_internal"));
}

MemoryCategory by_stack(const ledger::Reader& ledger, const ledger::Site& site) {
  bool is_python = static_cast<ledger::BlockKind>(site.kind) == ledger::BlockKind::object_arena;
  for (StackId node : ledger.nodes(site.stack)) {
    const ledger::Frame& frame = ledger.frame(ledger.stack(node).frame);
    if (static_cast<ledger::FrameKind>(frame.kind) != ledger::FrameKind::python) continue;
    is_python = true;
    if (is_of_graph(ledger, ledger.code(frame.owner))) return MemoryCategory::graph;
  }
  return is_python ? MemoryCategory::python : MemoryCategory::native;
}

MemoryCategory category_of(Frames& frames, const ledger::Site& site) {
  switch (role_of(frames, site)) {
    case ModelRole::parameter:
    case ModelRole::buffer:
      return MemoryCategory::parameter;
    case ModelRole::gradient:
    case ModelRole::passing_gradient:
      return MemoryCategory::gradient;
    case ModelRole::optimizer_state:
      return MemoryCategory::optimizer_state;
    case ModelRole::activation:
      return MemoryCategory::activation;
    case ModelRole::unknown:
      break;
  }
  return site.is_tensor ? MemoryCategory::tensor : by_stack(frames.ledger(), site);
}

// On the straight line between the ticks that are known; behind the last one it stays.
double at_tick(const std::vector<Tick>& ticks, const Series& values, Tick tick) {
  const auto after = std::lower_bound(ticks.begin(), ticks.end(), tick);
  if (after == ticks.end()) return values.empty() ? 0 : values.back();
  const auto i = static_cast<size_t>(after - ticks.begin());
  const Tick from = i > 0 ? ticks[i - 1] : 0;
  const double before = i > 0 ? values[i - 1] : 0;
  if (*after <= from) return values[i];
  const double part = static_cast<double>(tick - from) / static_cast<double>(*after - from);
  return before + part * (values[i] - before);
}

// What the sites of one band hold, by category: the band shows a part of it, which is not shown again.
struct Banded {
  std::map<MemoryCategory, Series> by_category;
  Series all;
};

class Looks {
 public:
  Looks(std::vector<Tick> ticks, const PageProcess& page)
      : page_(page), ticks_(std::move(ticks)), banded_(page.bands.size()) {
    for (size_t band = 0; band < page.bands.size(); ++band) {
      banded_[band].all.resize(ticks_.size());
      for (SiteId site : page.bands[band].sites) band_of_[site.value] = band;
    }
  }

  void add(const record::SiteLook& site, MemoryCategory category) {
    const auto band = band_of_.find(site.site.value);
    Series& sum = series(by_category_, category);
    Series* in_band =
        band == band_of_.end() ? nullptr : &series(banded_[band->second].by_category, category);
    for (size_t i = 0; i < ticks_.size(); ++i) {
      const auto bytes = static_cast<double>(site.live[i]);
      sum[i] += bytes;
      if (!in_band) continue;
      (*in_band)[i] += bytes;
      banded_[band->second].all[i] += bytes;
    }
  }

  std::vector<PageCategory> categories() {
    take_out_bands();
    std::vector<PageCategory> told;
    for (const auto& [what, values] : by_category_) {
      PageCategory category{what, {}};
      for (const PageMoment& moment : page_.moments)
        category.bytes.push_back(std::max(0.0, at_tick(ticks_, values, moment.tick)));
      told.push_back(std::move(category));
    }
    return told;
  }

 private:
  Series& series(std::map<MemoryCategory, Series>& of, MemoryCategory what) const {
    Series& values = of[what];
    values.resize(ticks_.size());
    return values;
  }

  void take_out_bands() {
    std::vector<Tick> moments;
    for (const PageMoment& moment : page_.moments) moments.push_back(moment.tick);
    for (size_t band = 0; band < banded_.size(); ++band) {
      for (size_t i = 0; i < ticks_.size(); ++i) {
        if (banded_[band].all[i] <= 0) continue;
        const double shown = at_tick(moments, page_.bands[band].bytes, ticks_[i]);
        const double share = std::min(1.0, shown / banded_[band].all[i]);
        for (auto& [what, values] : banded_[band].by_category)
          by_category_[what][i] -= share * values[i];
      }
    }
  }

  const PageProcess& page_;
  std::vector<Tick> ticks_;
  std::map<uint32_t, size_t> band_of_;
  std::vector<Banded> banded_;  // parallel to the bands
  std::map<MemoryCategory, Series> by_category_;
};

}  // namespace

void add_categories(Frames& frames, const record::ProcessLooks& looked_at, PageProcess& out) {
  const auto sites = frames.ledger().sites();
  Looks looks(looked_at.ticks, out);
  for (const record::SiteLook& site : looked_at.sites) {
    if (site.site.value < sites.size())
      looks.add(site, category_of(frames, sites[site.site.value]));
  }
  out.categories = looks.categories();
}

}  // namespace tenure::analyze
