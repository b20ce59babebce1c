-- ORC, row by row
-- unordered
SET hive.vectorized.execution.enabled=false;
SELECT visitor, count(*), sum(ms), min(moment), max(moment), avg(ms), sum(paid) FROM visits_orc GROUP BY visitor;
