-- ORDER by double, with nulls
-- in any file
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
numbers = FOREACH visits GENERATE paid;
ordered = ORDER numbers BY paid PARALLEL 2;
STORE ordered INTO '$OUT/ordered';
