// cli/sql.cpp: `tenure sql`: a question in SQL to a dataset that `tenure export --parquet` wrote; DuckDB answers it.
#include "cli/python_package.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"

namespace tenure::cli {

int sql(const SqlOptions& options) {
  const Result<int> answered = run_python_module(
      "tenure.fleet", {"sql", options.question, options.dataset, options.format}, options.python);
  if (answered) return *answered;
  say_line(answered.error().message);
  return answered.error().exit_code;
}

}  // namespace tenure::cli
