-- nested FILTER
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits BY url;
result = FOREACH grouped {
    slow = FILTER visits BY ms > 900;
    GENERATE group, COUNT(slow), COUNT(visits);
}
STORE result INTO '$OUT/slow';
