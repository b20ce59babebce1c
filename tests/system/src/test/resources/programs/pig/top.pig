-- TOP, which is Algebraic over tuples
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
known = FILTER visits BY user IS NOT NULL AND ms IS NOT NULL;
totals = FOREACH (GROUP known BY (user, url)) GENERATE FLATTEN(group) AS (user, url), SUM(known.ms) * 1000 + COUNT(known) AS total;
grouped = GROUP totals BY user;
result = FOREACH grouped {
    best = TOP(1, 2, totals);
    GENERATE group, best.total;
}
STORE result INTO '$OUT/top';
