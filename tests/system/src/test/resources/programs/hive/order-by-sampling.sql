-- samples, then ORDER BY in several reducers
SET hive.optimize.sampling.orderby=true;
SET hive.optimize.sampling.orderby.number=2000;
SET mapreduce.job.reduces=3;
CREATE TABLE sampled AS SELECT visitor, url, moment, ms FROM visits ORDER BY visitor, url, moment, ms;
SELECT * FROM sampled;
DROP TABLE sampled;
