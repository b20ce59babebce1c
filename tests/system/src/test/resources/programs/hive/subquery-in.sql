-- IN with a subquery
-- unordered
SET hive.auto.convert.join=false;
SELECT visitor, age FROM users WHERE state IN (SELECT state FROM states WHERE name LIKE '%4%');
