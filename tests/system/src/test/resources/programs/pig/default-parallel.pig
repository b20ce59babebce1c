-- default_parallel
-- in any file
SET default_parallel 3;
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits BY user;
counts = FOREACH grouped GENERATE group, COUNT(visits);
ordered = ORDER counts BY $1 DESC, $0;
STORE ordered INTO '$OUT/ordered';
