-- DISTINCT
-- unordered
SELECT DISTINCT visitor, url FROM visits;
