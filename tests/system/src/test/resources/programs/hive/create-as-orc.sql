-- CREATE TABLE AS, ORC
-- unordered
CREATE TABLE made STORED AS ORC AS SELECT url, visitor, count(*) AS n FROM visits GROUP BY url, visitor;
SELECT count(*), sum(n) FROM made;
SELECT * FROM made;
DROP TABLE made;
