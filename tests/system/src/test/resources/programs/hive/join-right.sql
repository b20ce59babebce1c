-- RIGHT OUTER JOIN in the reducers
-- unordered
SET hive.auto.convert.join=false;
SELECT v.url, v.moment, v.ms, u.visitor, u.age, u.state
FROM visits v RIGHT OUTER JOIN users u ON v.visitor = u.visitor;
