-- several INSERT of one scan
-- unordered
CREATE TABLE by_user (visitor STRING, n BIGINT);
CREATE TABLE by_url (url STRING, n BIGINT);
FROM visits
INSERT OVERWRITE TABLE by_user SELECT visitor, count(*) GROUP BY visitor
INSERT OVERWRITE TABLE by_url SELECT url, count(DISTINCT visitor) GROUP BY url;
SELECT * FROM by_user;
SELECT * FROM by_url;
DROP TABLE by_user;
DROP TABLE by_url;
