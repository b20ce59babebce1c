-- the small side is in memory: a shuffle of the result only
-- unordered
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
states = LOAD '$IN/states' AS (state:chararray, name:chararray);
placed = JOIN users BY state, states BY state USING 'replicated';
joined = JOIN visits BY user, placed BY users::user USING 'replicated';
grouped = GROUP joined BY states::name;
result = FOREACH grouped GENERATE group, COUNT(joined);
STORE result INTO '$OUT/names';
