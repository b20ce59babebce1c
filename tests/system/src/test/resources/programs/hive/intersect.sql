-- INTERSECT
-- unordered
SELECT visitor FROM visits INTERSECT SELECT visitor FROM users;
