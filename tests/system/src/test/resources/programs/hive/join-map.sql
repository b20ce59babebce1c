-- small tables in memory; a shuffle for the rest
-- unordered
SET hive.auto.convert.join=true;
SELECT s.name, count(*), sum(v.ms)
FROM visits v JOIN users u ON v.visitor = u.visitor JOIN states s ON u.state = s.state GROUP BY s.name;
