-- WITH ROLLUP
-- unordered
SELECT state, age, count(*) FROM users GROUP BY state, age WITH ROLLUP;
