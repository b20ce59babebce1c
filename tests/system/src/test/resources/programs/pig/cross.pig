-- CROSS, which sends records to reducers at random, and so ORDER
states = LOAD '$IN/states' AS (state:chararray, name:chararray);
pages = LOAD '$IN/pages' AS (url:chararray, category:chararray, rank:int);
best = FILTER pages BY rank == 1;
product = CROSS states, best PARALLEL 2;
sorted = ORDER product BY state, url PARALLEL 1;
STORE sorted INTO '$OUT/product';
