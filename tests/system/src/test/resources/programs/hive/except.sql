-- EXCEPT
-- unordered
SELECT visitor FROM visits EXCEPT SELECT visitor FROM users WHERE age < 40;
