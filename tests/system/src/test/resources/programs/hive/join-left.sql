-- LEFT OUTER JOIN in the reducers
-- unordered
SET hive.auto.convert.join=false;
SELECT v.visitor, v.url, v.moment, v.ms, u.age, u.state
FROM visits v LEFT OUTER JOIN users u ON v.visitor = u.visitor;
