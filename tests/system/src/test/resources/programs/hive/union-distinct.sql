-- UNION
-- unordered
SELECT visitor FROM visits UNION SELECT visitor FROM users;
