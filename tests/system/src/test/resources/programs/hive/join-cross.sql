-- CROSS JOIN: all records have one key
-- unordered
SET hive.auto.convert.join=false;
SET hive.strict.checks.cartesian.product=false;
SELECT s.state, p.url FROM states s CROSS JOIN pages p WHERE p.grade = 1;
