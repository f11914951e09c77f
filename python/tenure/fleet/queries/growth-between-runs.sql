-- The two newest runs, as two releases: what each line that was looked at held in the worst process, before and after.
WITH runs AS (
  SELECT run, row_number() OVER (ORDER BY min(began_ns) DESC, run DESC) AS age
  FROM processes
  GROUP BY run
),
per_line AS (
  SELECT
    file,
    function,
    max(CASE WHEN age = 2 THEN bytes ELSE 0 END) AS before_bytes,
    max(CASE WHEN age = 1 THEN bytes ELSE 0 END) AS after_bytes,
    max(CASE WHEN age = 2 THEN bytes_per_step ELSE 0 END) AS before_per_step,
    max(CASE WHEN age = 1 THEN bytes_per_step ELSE 0 END) AS after_per_step
  FROM growth JOIN runs ON growth.run = runs.run
  WHERE age <= 2
  GROUP BY file, function
)
SELECT
  file,
  function,
  before_bytes,
  after_bytes,
  after_bytes - before_bytes AS more_bytes,
  round(before_per_step, 1) AS before_per_step,
  round(after_per_step, 1) AS after_per_step
FROM per_line
WHERE after_bytes <> before_bytes
ORDER BY more_bytes DESC, file, function
LIMIT 30
