-- two tables in sorted buckets
-- unordered
SET hive.auto.convert.sortmerge.join=true;
SET hive.optimize.bucketmapjoin=true;
SET hive.optimize.bucketmapjoin.sortedmerge=true;
SET hive.auto.convert.join=false;
SELECT v.visitor, v.url, v.moment, u.age FROM visits_buckets v JOIN users_buckets u ON v.visitor = u.visitor;
