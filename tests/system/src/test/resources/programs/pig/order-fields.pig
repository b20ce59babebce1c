-- ORDER by several fields, up and down
-- in any file
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
ordered = ORDER visits BY url DESC, ms, user DESC, time, paid PARALLEL 3;
STORE ordered INTO '$OUT/ordered';
