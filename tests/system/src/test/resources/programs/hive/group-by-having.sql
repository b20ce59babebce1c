-- HAVING
-- unordered
SELECT url, visitor, count(*) AS n FROM visits GROUP BY url, visitor HAVING count(*) > 2;
