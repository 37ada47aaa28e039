"""What the benchmarks use: a mongod and an API of their own, wrk, and the table."""
