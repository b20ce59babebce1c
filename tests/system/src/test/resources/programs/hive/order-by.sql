-- ORDER BY: one reducer
SELECT visitor, url, moment, ms FROM visits ORDER BY visitor, url, moment, ms;
