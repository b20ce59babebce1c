-- map output and files between jobs compressed
-- unordered
SET hive.exec.compress.intermediate=true;
SET mapreduce.map.output.compress=true;
SET mapreduce.map.output.compress.codec=org.apache.hadoop.io.compress.DefaultCodec;
SELECT n, count(*) FROM (SELECT visitor, count(*) AS n FROM visits GROUP BY visitor) t GROUP BY n;
