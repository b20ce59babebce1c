-- COGROUP of two, with counts of each
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
together = COGROUP visits BY user, users BY user PARALLEL 2;
result = FOREACH together GENERATE group, COUNT(visits), COUNT(users);
STORE result INTO '$OUT/together';
