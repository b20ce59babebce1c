-- ORDER and LIMIT: the largest few
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
ordered = ORDER visits BY ms DESC, time, user, url;
top = LIMIT ordered 25;
STORE top INTO '$OUT/top';
