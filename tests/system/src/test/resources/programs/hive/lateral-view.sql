-- LATERAL VIEW explode under an aggregation
-- unordered
SELECT part, count(*) FROM visits LATERAL VIEW explode(split(url, '/')) parts AS part GROUP BY part;
