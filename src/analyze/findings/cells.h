// analyze/findings/cells.h: cells of a notebook by the numbers that people see, instead of the files they are compiled as.
// World: offline. Pure: what the adapter noted of cells in, findings with other names out.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analyze/findings/findings.h"
#include "ledger/reader.h"

namespace tenure::analyze {

class Cells {
 public:
  explicit Cells(const ledger::Reader& ledger);

  // "iteration of In[2], line 4" of "iteration of 2993799173.py:4".
  std::string named(std::string text) const;
  // Its places have the text of their lines, too: no file will have it.
  void name(Finding& finding) const;
  void name(Place& place) const;
  void name(ConsideredLine& line) const;

 private:
  struct Cell {
    std::string number, text;
  };

  std::map<std::string, Cell> cells_;  // by file
};

}  // namespace tenure::analyze
