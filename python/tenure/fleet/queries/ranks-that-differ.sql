-- Ranks that held at least 16 MiB and a quarter more than the median rank of their run: outliers first.
WITH per_rank AS (
  SELECT run, rank, min(host) AS host, max(peak_bytes) AS peak_bytes
  FROM processes
  WHERE rank IS NOT NULL
  GROUP BY run, rank
),
usual AS (
  SELECT run, median(peak_bytes) AS median_bytes, count(*) AS ranks
  FROM per_rank
  GROUP BY run
)
SELECT
  per_rank.run,
  per_rank.rank,
  per_rank.host,
  per_rank.peak_bytes,
  usual.median_bytes,
  per_rank.peak_bytes - usual.median_bytes AS more_bytes,
  usual.ranks
FROM per_rank JOIN usual ON per_rank.run = usual.run
WHERE per_rank.peak_bytes >= 1.25 * usual.median_bytes
  AND per_rank.peak_bytes >= usual.median_bytes + 16777216
ORDER BY more_bytes DESC, per_rank.run, per_rank.rank
LIMIT 50
