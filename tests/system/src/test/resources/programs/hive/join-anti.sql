-- NOT EXISTS
-- unordered
SET hive.auto.convert.join=false;
SELECT v.visitor, v.url, v.moment FROM visits v WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.visitor = v.visitor);
