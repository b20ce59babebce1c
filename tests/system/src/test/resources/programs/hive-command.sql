-- a join in the reducers and an aggregation, typed at Hive's command line
-- unordered
SET hive.auto.convert.join=false;
CREATE EXTERNAL TABLE visits (visitor STRING, url STRING, moment BIGINT, ms INT, paid DOUBLE)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' NULL DEFINED AS '' LOCATION '${hivevar:IN}/visits';
CREATE EXTERNAL TABLE users (visitor STRING, age INT, state STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' NULL DEFINED AS '' LOCATION '${hivevar:IN}/users';
SELECT u.state, count(*), sum(v.ms), count(DISTINCT v.url) FROM visits v JOIN users u ON v.visitor = u.visitor
GROUP BY u.state;
