-- three tables, two shuffles
-- unordered
SET hive.auto.convert.join=false;
SELECT v.visitor, v.url, p.category, s.name
FROM visits v JOIN pages p ON v.url = p.url JOIN users u ON v.visitor = u.visitor JOIN states s ON u.state = s.state
WHERE v.ms < 300;
