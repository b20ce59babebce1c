-- partial aggregation in maps before the combiner
SET pig.exec.mapPartAgg true;
SET pig.exec.mapPartAgg.minReduction 2;
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits BY url;
result = FOREACH grouped GENERATE group, COUNT(visits), SUM(visits.ms);
STORE result INTO '$OUT/aggregated';
