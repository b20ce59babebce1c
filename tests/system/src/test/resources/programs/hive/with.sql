-- a common table expression, used twice
-- unordered
WITH total AS (SELECT visitor, sum(ms) AS ms FROM visits GROUP BY visitor)
SELECT a.visitor, b.visitor FROM total a JOIN total b ON a.ms = b.ms WHERE a.visitor <> b.visitor OR a.ms > 100000;
