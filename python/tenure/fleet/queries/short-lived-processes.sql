-- Commands whose processes come and go: how many, how long they live, what the largest of them took.
SELECT
  command,
  count(*) AS processes,
  round(avg(seconds), 2) AS mean_seconds,
  round(max(seconds), 2) AS most_seconds,
  max(peak_bytes) AS most_peak_bytes,
  sum(CASE WHEN leaks THEN 1 ELSE 0 END) AS leaking
FROM processes
WHERE NOT is_main
GROUP BY command
ORDER BY processes DESC, command NULLS LAST
LIMIT 30
