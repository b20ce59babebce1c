-- COGROUP of three, with nested ORDER in each
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
pages = LOAD '$IN/pages' AS (url:chararray, category:chararray, rank:int);
together = COGROUP visits BY SUBSTRING(user, 1, 3), users BY SUBSTRING(user, 1, 3), pages BY (chararray) rank;
result = FOREACH together {
    byTime = ORDER visits BY time, url, ms, paid;
    byAge = ORDER users BY age DESC, user;
    byUrl = ORDER pages BY url;
    GENERATE group, byTime.(time, url), byAge.user, byUrl.url;
}
STORE result INTO '$OUT/together';
