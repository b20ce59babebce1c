-- EXCEPT
-- unordered
SELECT visitor FROM users EXCEPT SELECT visitor FROM visits;
