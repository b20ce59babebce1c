-- STREAM through a command, before and behind a shuffle
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
upper = STREAM visits THROUGH `tr a-z A-Z` AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP upper BY user;
counts = FOREACH grouped GENERATE group, COUNT(upper);
lower = STREAM counts THROUGH `tr A-Z a-z`;
STORE lower INTO '$OUT/lower';
