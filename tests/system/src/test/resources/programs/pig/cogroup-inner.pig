-- COGROUP, one side INNER
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
together = COGROUP visits BY user, users BY user INNER;
result = FOREACH together GENERATE group, COUNT(visits), SUM(visits.ms), MAX(users.age);
STORE result INTO '$OUT/together';
