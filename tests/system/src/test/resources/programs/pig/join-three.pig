-- three inputs of one shuffle
-- unordered
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
spend = FOREACH (GROUP visits BY user) GENERATE group AS user, SUM(visits.ms) AS total;
most = FILTER visits BY ms > 950;
joined = JOIN most BY user, users BY user, spend BY user PARALLEL 2;
STORE joined INTO '$OUT/joined';
