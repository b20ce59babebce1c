-- float keys, with nulls among them
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
keyed = FOREACH visits GENERATE (float) (paid / 3) AS key, ms;
grouped = GROUP keyed BY key PARALLEL 2;
result = FOREACH grouped GENERATE group, COUNT_STAR(keyed), SUM(keyed.ms);
STORE result INTO '$OUT/float';
