-- Who held most at the last snapshots, by the name that leads to it, over all processes.
SELECT
  holder,
  sum(bytes) AS bytes,
  count(*) AS blocks,
  count(DISTINCT host || '/' || process || '/' || record) AS in_processes,
  round(max(age_steps), 1) AS oldest_in_steps
FROM holders
WHERE holder IS NOT NULL
GROUP BY holder
ORDER BY bytes DESC, holder
LIMIT 30
