-- ROLLUP
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
rolled = CUBE users BY ROLLUP(state, age);
result = FOREACH rolled GENERATE FLATTEN(group) AS (state, age), COUNT_STAR(cube);
STORE result INTO '$OUT/rollup';
