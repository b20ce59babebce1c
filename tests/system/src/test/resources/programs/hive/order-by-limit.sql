-- ORDER BY and LIMIT: maps keep the first few
SELECT ms, moment, visitor, url FROM visits ORDER BY ms DESC, moment, visitor, url LIMIT 50;
