-- a filter of keys is made by a job before the shuffle
-- unordered
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
old = FILTER users BY age > 60;
joined = JOIN visits BY user, old BY user USING 'bloom' PARALLEL 2;
STORE joined INTO '$OUT/joined';
