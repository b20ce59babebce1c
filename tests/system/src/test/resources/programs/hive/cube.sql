-- WITH CUBE
-- unordered
SELECT category, grade, count(*) FROM pages GROUP BY category, grade WITH CUBE;
