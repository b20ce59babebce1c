-- several groupings of one input, merged into one shuffle with keys of two types
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
byUser = FOREACH (GROUP visits BY user) GENERATE group, COUNT(visits), SUM(visits.ms);
byMs = FOREACH (GROUP visits BY ms) GENERATE group, COUNT(visits);
byPair = FOREACH (GROUP visits BY (user, url)) GENERATE FLATTEN(group), MAX(visits.ms);
STORE byUser INTO '$OUT/users';
STORE byMs INTO '$OUT/ms';
STORE byPair INTO '$OUT/pairs';
