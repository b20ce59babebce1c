-- SPLIT into branches that are shuffled apart
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
SPLIT visits INTO fast IF ms < 300, slow IF ms > 900, other OTHERWISE;
fastByUser = FOREACH (GROUP fast BY user) GENERATE group, COUNT(fast);
slowByUrl = FOREACH (GROUP slow BY url) GENERATE group, COUNT(slow);
others = FOREACH (GROUP other ALL) GENERATE COUNT(other);
STORE fastByUser INTO '$OUT/fast';
STORE slowByUrl INTO '$OUT/slow';
STORE others INTO '$OUT/others';
