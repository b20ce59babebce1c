-- lag and lead
-- unordered
SELECT visitor, moment, lag(moment) OVER w, lead(url, 2, 'none') OVER w
FROM visits WINDOW w AS (PARTITION BY visitor ORDER BY moment, url, ms, paid);
