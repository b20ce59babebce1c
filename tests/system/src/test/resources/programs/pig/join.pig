-- JOIN
-- unordered
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
joined = JOIN visits BY user, users BY user PARALLEL 2;
STORE joined INTO '$OUT/joined';
