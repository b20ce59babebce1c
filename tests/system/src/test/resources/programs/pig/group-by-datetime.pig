-- datetime keys, with nulls among them; their hash, so their partition, depends on the time zone
SET pig.datetime.default.tz '+00:00';
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
keyed = FOREACH visits GENERATE ToDate(time * 1000 + ms % 2) AS key, ms;
grouped = GROUP keyed BY key PARALLEL 2;
result = FOREACH grouped GENERATE group, COUNT_STAR(keyed), SUM(keyed.ms);
STORE result INTO '$OUT/datetime';
