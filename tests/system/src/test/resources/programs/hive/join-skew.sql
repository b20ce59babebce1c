-- large keys are put aside and joined by another job
-- unordered
SET hive.auto.convert.join=false;
SET hive.optimize.skewjoin=true;
SET hive.skewjoin.key=500;
SELECT v.visitor, v.url, v.moment, p.category FROM visits v JOIN pages p ON v.url = p.url;
