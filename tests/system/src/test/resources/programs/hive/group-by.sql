-- GROUP BY with aggregation in maps
-- unordered
SELECT visitor, count(*), sum(ms), min(moment), max(moment), avg(ms), sum(paid) FROM visits GROUP BY visitor;
