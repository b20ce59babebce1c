-- keys of several types, with nulls
-- unordered
SELECT ms div 100, paid, substr(visitor, 1, 2), count(*) FROM visits GROUP BY ms div 100, paid, substr(visitor, 1, 2);
