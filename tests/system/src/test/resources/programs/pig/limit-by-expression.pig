-- LIMIT by what another job has counted
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
total = FOREACH (GROUP visits ALL) GENERATE COUNT_STAR(visits) AS n;
ordered = ORDER visits BY time, user, url, ms, paid;
some = LIMIT ordered total.n / 1000;
STORE some INTO '$OUT/some';
