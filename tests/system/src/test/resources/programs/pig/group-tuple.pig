-- tuples as keys
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits BY (user, url) PARALLEL 2;
result = FOREACH grouped GENERATE FLATTEN(group), COUNT(visits);
STORE result INTO '$OUT/pairs';
