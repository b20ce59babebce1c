-- SORT BY: sorted within each reducer
SET mapreduce.job.reduces=1;
SELECT visitor, url, moment, ms FROM visits SORT BY ms, visitor, url, moment;
