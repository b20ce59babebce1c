-- windows of two partitionings: two shuffles
-- unordered
SELECT visitor, url, count(*) OVER (PARTITION BY visitor), ntile(4) OVER (PARTITION BY url ORDER BY moment, visitor, ms, paid)
FROM visits;
