-- CLUSTER BY
SET mapreduce.job.reduces=3;
SELECT url FROM visits CLUSTER BY url;
