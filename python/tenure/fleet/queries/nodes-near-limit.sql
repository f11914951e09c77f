-- Hosts by how much of their memory the processes of one run had at their most. Peaks of different moments add up: it is the worst case.
SELECT
  host,
  run,
  count(*) AS processes,
  sum(resident_peak_bytes) AS resident_bytes,
  max(machine_bytes) AS machine_bytes,
  min(available_bytes) AS available_bytes,
  round(100.0 * sum(resident_peak_bytes) / max(machine_bytes), 1) AS percent
FROM processes
WHERE resident_peak_bytes IS NOT NULL AND machine_bytes > 0
GROUP BY host, run
ORDER BY percent DESC, host, run
LIMIT 30
