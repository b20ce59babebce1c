-- a command in the reducers
-- unordered
FROM (SELECT visitor, moment, url FROM visits WHERE visitor IS NOT NULL DISTRIBUTE BY visitor SORT BY visitor, moment, url) sorted
SELECT TRANSFORM (visitor, moment) USING '/usr/bin/uniq -c' AS (counted STRING);
