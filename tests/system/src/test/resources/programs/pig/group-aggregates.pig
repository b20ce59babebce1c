-- GROUP with all the Algebraic functions at once
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits BY user PARALLEL 3;
result = FOREACH grouped GENERATE group, COUNT(visits), COUNT_STAR(visits), SUM(visits.ms), MIN(visits.time),
    MAX(visits.time), AVG(visits.paid);
STORE result INTO '$OUT/aggregates';
