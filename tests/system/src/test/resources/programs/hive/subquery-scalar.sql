-- comparison with a value of a subquery
-- unordered
SELECT visitor, count(*) FROM visits WHERE ms > (SELECT avg(ms) FROM visits) GROUP BY visitor;
