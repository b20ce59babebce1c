-- CUBE
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
joined = JOIN visits BY user, users BY user;
flat = FOREACH joined GENERATE users::state AS state, visits::url AS url, visits::ms AS ms;
cubed = CUBE flat BY CUBE(state, url);
result = FOREACH cubed GENERATE FLATTEN(group) AS (state, url), COUNT_STAR(cube), SUM(cube.ms);
STORE result INTO '$OUT/cube';
