-- map output and temporary files compressed
SET mapreduce.map.output.compress true;
SET mapreduce.map.output.compress.codec org.apache.hadoop.io.compress.DefaultCodec;
SET pig.tmpfilecompression true;
SET pig.tmpfilecompression.codec gz;
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits BY url PARALLEL 2;
counts = FOREACH grouped GENERATE group, COUNT(visits) AS n;
ordered = ORDER counts BY n, group;
STORE ordered INTO '$OUT/ordered';
