-- samples the keys, then gives large ones to several reducers
-- unordered
-- in any file
SET pig.skewedjoin.reduce.maxtuple 500;
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
pages = LOAD '$IN/pages' AS (url:chararray, category:chararray, rank:int);
joined = JOIN visits BY url, pages BY url USING 'skewed' PARALLEL 4;
STORE joined INTO '$OUT/joined';
