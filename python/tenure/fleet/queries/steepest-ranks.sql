-- Processes whose live memory rose most from the middle of their life to its last look.
WITH ends AS (
  SELECT run, host, process, record, max(seconds) AS last_seconds
  FROM timeline
  GROUP BY run, host, process, record
),
halves AS (
  SELECT
    timeline.run,
    timeline.host,
    timeline.process,
    timeline.rank,
    CASE WHEN timeline.seconds * 2 < ends.last_seconds THEN 1 ELSE 2 END AS half,
    timeline.live_bytes
  FROM timeline JOIN ends
    ON timeline.run = ends.run AND timeline.host = ends.host
    AND timeline.process = ends.process AND timeline.record = ends.record
)
SELECT
  run,
  host,
  process,
  rank,
  max(CASE WHEN half = 1 THEN live_bytes ELSE 0 END) AS first_half_bytes,
  max(CASE WHEN half = 2 THEN live_bytes ELSE 0 END) AS second_half_bytes,
  max(CASE WHEN half = 2 THEN live_bytes ELSE 0 END)
    - max(CASE WHEN half = 1 THEN live_bytes ELSE 0 END) AS more_bytes
FROM halves
GROUP BY run, host, process, rank
ORDER BY more_bytes DESC, run, host, process
LIMIT 30
