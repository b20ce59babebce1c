-- row_number, rank and dense_rank
-- unordered
SELECT visitor, url, moment, row_number() OVER w, rank() OVER w, dense_rank() OVER w
FROM visits WINDOW w AS (PARTITION BY visitor ORDER BY moment, url, ms, paid);
