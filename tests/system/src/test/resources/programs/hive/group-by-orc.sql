-- ORC, vectorized
-- unordered
SET hive.vectorized.execution.enabled=true;
SELECT visitor, count(*), sum(ms), min(moment), max(moment), avg(ms), sum(paid) FROM visits_orc GROUP BY visitor;
