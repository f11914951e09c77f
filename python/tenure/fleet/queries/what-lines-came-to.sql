-- What all lines that were looked at came to, and by which rule.
SELECT
  came_to,
  rule,
  count(*) AS lines,
  sum(bytes) AS bytes,
  count(DISTINCT run) AS runs
FROM growth
GROUP BY came_to, rule
ORDER BY bytes DESC, came_to, rule
