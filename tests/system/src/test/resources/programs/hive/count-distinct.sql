-- several DISTINCT in one query
-- unordered
SELECT substr(url, -1), count(DISTINCT visitor), count(DISTINCT ms), sum(ms) FROM visits GROUP BY substr(url, -1);
