-- a partitioner that the script names
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
urls = FOREACH visits GENERATE url;
different = DISTINCT urls PARTITION BY org.apache.hadoop.mapreduce.lib.partition.HashPartitioner PARALLEL 3;
STORE different INTO '$OUT/urls';
