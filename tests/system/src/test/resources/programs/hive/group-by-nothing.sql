-- one group: one reducer
-- unordered
SELECT count(*), sum(ms), count(DISTINCT visitor), max(url) FROM visits;
