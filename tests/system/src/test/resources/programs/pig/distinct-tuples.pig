-- DISTINCT of tuples, PARALLEL
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
pairs = FOREACH visits GENERATE user, url;
different = DISTINCT pairs PARALLEL 3;
STORE different INTO '$OUT/pairs';
