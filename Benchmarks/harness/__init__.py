"""What the benchmarks are driven with: a mongod and an API of their own, wrk, and the table."""
