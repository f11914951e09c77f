-- What was there at the peaks, by its role in a model and the operation (or function) that made it: the mean of the processes that have it.
SELECT
  coalesce(role, kind) AS role,
  coalesce(op, function) AS layer,
  count(DISTINCT host || '/' || process || '/' || record) AS in_processes,
  sum(peak_bytes) AS bytes,
  round(
    sum(peak_bytes) * 1.0 / count(DISTINCT host || '/' || process || '/' || record), 0
  ) AS bytes_per_process
FROM lines
GROUP BY coalesce(role, kind), coalesce(op, function)
HAVING sum(peak_bytes) > 0
ORDER BY bytes DESC, role, layer
LIMIT 30
