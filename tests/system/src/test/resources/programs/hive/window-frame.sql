-- sums over a frame of rows
-- unordered
SELECT url, moment, sum(ms) OVER (PARTITION BY url ORDER BY moment, visitor, ms, paid ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING)
FROM visits;
