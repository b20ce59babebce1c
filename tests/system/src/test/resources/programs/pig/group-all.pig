-- GROUP ALL: one reducer
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits ALL;
result = FOREACH grouped GENERATE COUNT(visits), SUM(visits.ms), MAX(visits.paid);
STORE result INTO '$OUT/all';
