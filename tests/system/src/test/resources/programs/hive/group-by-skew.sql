-- two shuffles, the first by a random number
-- unordered
SET hive.groupby.skewindata=true;
SELECT url, count(*), sum(ms) FROM visits GROUP BY url;
