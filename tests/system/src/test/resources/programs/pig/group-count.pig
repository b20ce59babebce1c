-- GROUP; COUNT in a combiner; chararray keys
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits BY url;
counts = FOREACH grouped GENERATE group, COUNT(visits);
STORE counts INTO '$OUT/counts';
