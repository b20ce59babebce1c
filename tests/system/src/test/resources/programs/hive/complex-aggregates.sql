-- collections and percentiles as partial results
-- unordered
SELECT substr(visitor, 1, 2), sort_array(collect_set(url)), percentile(ms, array(0.25, 0.5, 0.9)), size(collect_list(ms)) FROM visits GROUP BY substr(visitor, 1, 2);
