-- two sorted files; an index of one is made by a job
-- unordered
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
known = FILTER visits BY user IS NOT NULL;
sortedVisits = ORDER known BY user PARALLEL 1;
sortedUsers = ORDER users BY user PARALLEL 1;
STORE sortedVisits INTO '$OUT/visits';
STORE sortedUsers INTO '$OUT/users';
EXEC;
first = LOAD '$OUT/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
second = LOAD '$OUT/users' AS (user:chararray, age:int, state:chararray);
joined = JOIN first BY user, second BY user USING 'merge';
STORE joined INTO '$OUT/joined';
