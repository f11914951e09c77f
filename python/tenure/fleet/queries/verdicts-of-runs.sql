-- Each run: its verdict, its processes and hosts, how many of them leak, the largest of them.
SELECT
  run,
  verdict,
  count(*) AS processes,
  count(DISTINCT host) AS hosts,
  sum(CASE WHEN leaks THEN 1 ELSE 0 END) AS leaking,
  max(peak_bytes) AS most_peak_bytes,
  sum(live_bytes) AS live_bytes,
  round((max(ended_ns) - min(began_ns)) / 1000000000.0, 1) AS seconds
FROM processes
GROUP BY run, verdict
ORDER BY leaking DESC, run, verdict
LIMIT 100
