-- RANK of sorted records
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
totals = FOREACH (GROUP visits BY user) GENERATE group AS user, SUM(visits.ms) AS total;
ranked = RANK totals BY total DESC, user;
STORE ranked INTO '$OUT/ranked';
