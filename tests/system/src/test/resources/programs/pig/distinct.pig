-- DISTINCT with its combiner
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
urls = FOREACH visits GENERATE url;
different = DISTINCT urls;
STORE different INTO '$OUT/urls';
