-- GROUPING SETS
-- unordered
SELECT category, grade, count(*), grouping__id FROM pages GROUP BY category, grade GROUPING SETS ((category, grade), (category), ());
