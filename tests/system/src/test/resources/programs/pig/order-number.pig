-- ORDER DESC by int
-- in any file
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
numbers = FOREACH visits GENERATE ms;
ordered = ORDER numbers BY ms DESC PARALLEL 3;
STORE ordered INTO '$OUT/ordered';
