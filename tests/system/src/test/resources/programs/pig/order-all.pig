-- ORDER by all fields
-- in any file
pages = LOAD '$IN/pages' AS (url:chararray, category:chararray, rank:int);
ordered = ORDER pages BY * PARALLEL 2;
STORE ordered INTO '$OUT/ordered';
