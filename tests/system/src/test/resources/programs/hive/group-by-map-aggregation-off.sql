-- all values of a group go through the shuffle
-- unordered
SET hive.map.aggr=false;
SELECT visitor, count(*), sum(ms), min(moment), max(moment), avg(ms), sum(paid) FROM visits GROUP BY visitor;
