-- LEFT SEMI JOIN in the reducers
-- unordered
SET hive.auto.convert.join=false;
SELECT v.visitor, v.url, v.moment, v.ms
FROM visits v LEFT SEMI JOIN users u ON v.visitor = u.visitor;
