-- Lines that leak, over all ranks of all hosts: how much they hold together, in how many processes.
SELECT
  file,
  line,
  function,
  max(holder) AS holder,
  sum(bytes) AS bytes,
  count(DISTINCT host || '/' || process || '/' || record) AS in_processes,
  count(DISTINCT host) AS on_hosts,
  round(max(bytes_per_step), 1) AS most_bytes_per_step
FROM findings
WHERE severity = 'leak'
GROUP BY file, line, function
ORDER BY bytes DESC, file, line, function
LIMIT 20
