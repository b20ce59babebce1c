-- the same with DISTINCT
-- unordered
SET hive.groupby.skewindata=true;
SELECT url, count(DISTINCT visitor) FROM visits GROUP BY url;
