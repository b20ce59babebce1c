-- RANK DENSE
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
ages = FOREACH users GENERATE age;
ranked = RANK ages BY age DENSE;
STORE ranked INTO '$OUT/ranked';
