-- ORDER BY, down, nulls last
SELECT paid, visitor, url, moment, ms FROM visits ORDER BY paid DESC NULLS LAST, visitor DESC, url, moment, ms;
