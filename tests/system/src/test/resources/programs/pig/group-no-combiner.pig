-- values in bags: the Accumulator interface, without a combiner
SET pig.exec.nocombiner true;
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits BY user PARALLEL 2;
result = FOREACH grouped GENERATE group, COUNT(visits), SUM(visits.ms);
STORE result INTO '$OUT/accumulated';
