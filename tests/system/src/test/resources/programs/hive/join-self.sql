-- a table with itself
-- unordered
SET hive.auto.convert.join=false;
SELECT a.visitor, b.visitor FROM users a JOIN users b ON a.state = b.state AND a.age = b.age WHERE a.visitor < b.visitor;
