-- nested DISTINCT
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits BY url;
result = FOREACH grouped {
    users = DISTINCT visits.user;
    GENERATE group, COUNT(users), COUNT(visits);
}
STORE result INTO '$OUT/distinct';
