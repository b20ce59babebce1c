-- nested ORDER and LIMIT: a secondary sort
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
grouped = GROUP visits BY user PARALLEL 2;
result = FOREACH grouped {
    ordered = ORDER visits BY ms DESC, time, url;
    top = LIMIT ordered 3;
    GENERATE group, top.(ms, time, url);
}
STORE result INTO '$OUT/top';
