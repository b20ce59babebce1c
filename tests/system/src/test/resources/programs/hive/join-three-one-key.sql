-- three tables, one shuffle
-- unordered
SET hive.auto.convert.join=false;
SELECT v.visitor, v.moment, u.age, t.total
FROM visits v JOIN users u ON v.visitor = u.visitor
JOIN (SELECT visitor, sum(ms) AS total FROM visits GROUP BY visitor) t ON v.visitor = t.visitor
WHERE v.ms > 900;
