-- a shuffle of what a shuffle gave
-- unordered
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
pages = LOAD '$IN/pages' AS (url:chararray, category:chararray, rank:int);
hits = FOREACH (GROUP visits BY url) GENERATE group AS url, COUNT(visits) AS n;
joined = JOIN hits BY url, pages BY url;
byCategory = GROUP joined BY category;
result = FOREACH byCategory GENERATE group, SUM(joined.n);
STORE result INTO '$OUT/categories';
