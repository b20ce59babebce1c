-- DISTRIBUTE BY and SORT BY
SET mapreduce.job.reduces=3;
SELECT visitor, url, moment, ms, paid FROM visits DISTRIBUTE BY visitor SORT BY visitor, moment DESC, url, ms, paid;
