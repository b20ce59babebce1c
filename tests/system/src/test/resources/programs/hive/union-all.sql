-- UNION ALL under an aggregation
-- unordered
SELECT kind, count(*) FROM (
  SELECT 'visit' AS kind, visitor FROM visits UNION ALL SELECT 'visitor' AS kind, visitor FROM users) together GROUP BY kind;
