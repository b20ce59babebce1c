-- FULL OUTER JOIN in the reducers
-- unordered
SET hive.auto.convert.join=false;
SELECT v.visitor, v.url, v.moment, v.ms, u.visitor, u.age
FROM visits v FULL OUTER JOIN users u ON v.visitor = u.visitor;
