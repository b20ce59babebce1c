-- independent jobs at the same moment
-- unordered
SET hive.exec.parallel=true;
SELECT * FROM (SELECT visitor AS k, count(*) FROM visits GROUP BY visitor UNION ALL SELECT url AS k, count(*) FROM visits GROUP BY url) together;
