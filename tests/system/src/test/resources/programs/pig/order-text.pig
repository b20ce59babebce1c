-- ORDER: samples, then a range partitioner; chararray keys
-- in any file
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
ordered = ORDER users BY user PARALLEL 3;
STORE ordered INTO '$OUT/ordered';
