import Domain
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct JobStoreContract {
    private static let now = Instants.now
    private static let until = Instants.now + 60

    @Test(arguments: StoreUnderTest.all)
    func `A job is found as enqueued`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let job = Job(kind: "mail", payload: #"{"locale":"de"}"#, dedupeKey: "key", runAt: Self.now)
            let isStored = try await stores.jobs.enqueue(job)
            #expect(isStored)
            #expect(try await stores.jobs.find(id: job.id) == job)
            #expect(try await stores.jobs.find(id: .random()) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who enqueue under one key, one stores`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let stored = try await concurrently(20) { _ in
                try await stores.jobs.enqueue(Job(kind: "mail", dedupeKey: "key", runAt: Self.now))
            }
            #expect(stored.count(where: { $0 }) == 1)
            // Jobs without a key are never duplicates.
            for _ in 0..<2 {
                #expect(try await stores.jobs.enqueue(Job(kind: "mail", runAt: Self.now)))
            }
            #expect(try await stores.jobs.list(state: .ready, limit: 10).count == 3)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A key is used whatever the state, and free when the job is deleted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let job = try await stores.leasedJob(dedupeKey: "key")
            #expect(try await stores.jobs.complete(id: job.id, owner: "a"))
            #expect(try await stores.jobs.enqueue(Job(kind: "mail", dedupeKey: "key", runAt: Self.now)) == false)
            try await stores.jobs.deleteDone(before: Self.now)
            #expect(try await stores.jobs.find(id: job.id)?.state == .done)
            try await stores.jobs.deleteDone(before: Self.now + 1)
            #expect(try await stores.jobs.find(id: job.id) == nil)
            #expect(try await stores.jobs.enqueue(Job(kind: "mail", dedupeKey: "key", runAt: Self.now)))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The newest job of a kind is found, and a kind can outlast the others`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for (name, seconds) in [("mail.test", 0.0), ("mail.test", 20), ("mail", 30), ("mail.test", 10)] {
                _ = try await stores.jobs.enqueue(Job(kind: name, state: .done, runAt: Self.now + seconds))
            }
            #expect(try await stores.jobs.newest(kind: "mail.test")?.runAt == Self.now + 20)
            #expect(try await stores.jobs.newest(kind: "none") == nil)
            try await stores.jobs.deleteDone(before: Self.now + 60, except: "mail.test")
            #expect(try await stores.jobs.list(state: .done, limit: 10).allSatisfy { $0.kind == "mail.test" })
            try await stores.jobs.deleteDone(before: Self.now + 20)
            #expect(try await stores.jobs.list(state: .done, limit: 10).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A job is erased only by the worker that has it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let job = try await stores.leasedJob(dedupeKey: "key")
            #expect(try await stores.jobs.delete(id: job.id, owner: "b") == false)
            #expect(try await stores.jobs.find(id: job.id) == job)
            #expect(try await stores.jobs.delete(id: job.id, owner: "a"))
            #expect(try await stores.jobs.find(id: job.id) == nil)
            #expect(try await stores.jobs.delete(id: job.id, owner: "a") == false)
            #expect(try await stores.jobs.enqueue(Job(kind: "mail", dedupeKey: "key", runAt: Self.now)))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Twenty workers get each job once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for _ in 0..<60 {
                _ = try await stores.jobs.enqueue(Job(kind: "mail", runAt: Self.now))
            }
            let leased = try await concurrently(20) { worker in
                var jobs: [Job] = []
                while let job = try await stores.jobs.lease(
                    kinds: ["mail"], owner: "worker-\(worker)", at: Self.now, until: Self.until)
                {
                    #expect(job.leaseOwner == "worker-\(worker)")
                    jobs.append(job)
                }
                return jobs
            }.flatMap { $0 }
            #expect(leased.count == 60)
            #expect(Set(leased.map(\.id)).count == 60)
            #expect(leased.allSatisfy { $0.attempts == 1 && $0.state == .leased && $0.leaseUntil == Self.until })
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The job that waited longest of the requested kinds is leased`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let late = Job(kind: "mail", runAt: Self.now)
            let early = Job(kind: "mail", runAt: Self.now - 10)
            let future = Job(kind: "mail", runAt: Self.now + 1)
            let push = Job(kind: "push", runAt: Self.now - 20)
            for job in [late, early, future, push] {
                _ = try await stores.jobs.enqueue(job)
            }
            func lease(_ kinds: String...) async throws -> Job.ID? {
                try await stores.jobs.lease(kinds: kinds, owner: "a", at: Self.now, until: Self.until)?.id
            }
            #expect(try await lease() == nil)
            #expect(try await lease("other") == nil)
            #expect(try await lease("mail") == early.id)
            #expect(try await lease("mail", "push") == push.id)
            #expect(try await lease("mail", "push") == late.id)
            #expect(try await lease("mail", "push") == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An expired lease goes to the next worker, and the first loses the job`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let job = try await stores.leasedJob()
            func leaseForB(at now: Date) async throws -> Job? {
                try await stores.jobs.lease(kinds: ["mail"], owner: "b", at: now, until: now + 60)
            }
            #expect(try await leaseForB(at: Self.until - 1) == nil)
            #expect(try await stores.jobs.extend(id: job.id, owner: "a", until: Self.until + 10))
            #expect(try await leaseForB(at: Self.until) == nil)
            let taken = try #require(try await leaseForB(at: Self.until + 10))
            #expect(taken.id == job.id)
            #expect(taken.attempts == 2)
            #expect(taken.leaseOwner == "b")

            #expect(try await stores.jobs.extend(id: job.id, owner: "a", until: Self.until + 99) == false)
            #expect(try await stores.jobs.complete(id: job.id, owner: "a") == false)
            #expect(try await stores.jobs.release(id: job.id, owner: "a", runAt: Self.now, error: nil) == false)
            #expect(try await stores.jobs.markDead(id: job.id, owner: "a", error: "x") == false)
            #expect(try await stores.jobs.find(id: job.id) == taken)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A finished job is never leased again`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let job = try await stores.leasedJob()
            #expect(try await stores.jobs.complete(id: job.id, owner: "a"))
            #expect(try await stores.jobs.complete(id: job.id, owner: "a") == false)
            let done = try #require(try await stores.jobs.find(id: job.id))
            #expect(done.state == .done)
            #expect(done.leaseOwner == nil)
            #expect(done.leaseUntil == nil)
            let later = Self.until + 60
            #expect(try await stores.jobs.lease(kinds: ["mail"], owner: "b", at: later, until: later + 60) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A released job waits again and keeps its attempt if it failed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let job = try await stores.leasedJob()
            let later = Self.now + 30
            #expect(try await stores.jobs.release(id: job.id, owner: "a", runAt: later, error: "refused"))
            let failed = try #require(try await stores.jobs.find(id: job.id))
            #expect(failed.state == .ready)
            #expect(failed.runAt == later)
            #expect(failed.attempts == 1)
            #expect(failed.lastError == "refused")
            #expect(failed.leaseOwner == nil)

            let again = try await stores.jobs.lease(kinds: ["mail"], owner: "a", at: later, until: later + 60)
            #expect(again?.attempts == 2)
            #expect(try await stores.jobs.release(id: job.id, owner: "a", runAt: later, error: nil))
            #expect(try await stores.jobs.find(id: job.id)?.attempts == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A dead job is restarted or dropped`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let job = try await stores.leasedJob()
            #expect(try await !stores.jobs.restart(id: job.id, runAt: Self.now))
            #expect(try await !stores.jobs.deleteDead(id: job.id))
            #expect(try await stores.jobs.markDead(id: job.id, owner: "a", error: "no such address"))
            let dead = try #require(try await stores.jobs.list(state: .dead, limit: 10).first)
            #expect(dead.id == job.id)
            #expect(dead.lastError == "no such address")

            #expect(try await stores.jobs.restart(id: job.id, runAt: Self.now + 5))
            let restarted = try #require(try await stores.jobs.find(id: job.id))
            #expect(restarted.state == .ready)
            #expect(restarted.runAt == Self.now + 5)
            #expect(restarted.attempts == 0)

            let later = Self.now + 5
            _ = try await stores.jobs.lease(kinds: ["mail"], owner: "a", at: later, until: later + 60)
            #expect(try await stores.jobs.markDead(id: job.id, owner: "a", error: "again"))
            #expect(try await stores.jobs.deleteDead(id: job.id))
            #expect(try await stores.jobs.find(id: job.id) == nil)
            #expect(try await !stores.jobs.deleteDead(id: job.id))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A job remembers since when it is due, until it is restarted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let job = try await stores.leasedJob()
            #expect(job.since == Self.now)
            let later = Self.now + 30
            #expect(try await stores.jobs.release(id: job.id, owner: "a", runAt: later, error: "no"))
            let again = try await stores.jobs.lease(kinds: ["mail"], owner: "a", at: later, until: later + 60)
            #expect(again?.since == Self.now && again?.runAt == later)
            #expect(try await stores.jobs.markDead(id: job.id, owner: "a", error: "no"))
            #expect(try await stores.jobs.restart(id: job.id, runAt: later + 5))
            #expect(try await stores.jobs.find(id: job.id)?.since == later + 5)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `All dead jobs are restarted, or those of a kind, and no others`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let states: [(String, Job.State)] = [
                ("mail", .dead), ("push", .dead), ("mail", .dead), ("mail", .done), ("push", .dead),
            ]
            let jobs = states.map { Job(kind: $0.0, state: $0.1, runAt: Self.now, attempts: 7) }
            for job in jobs { _ = try await stores.jobs.enqueue(job) }
            #expect(try await stores.jobs.restartAll(kind: "none", runAt: Self.until) == 0)
            #expect(try await stores.jobs.restartAll(kind: "mail", runAt: Self.until) == 2)
            for id in [jobs[0].id, jobs[2].id] {
                let job = try #require(try await stores.jobs.find(id: id))
                #expect(job.state == .ready && job.runAt == Self.until && job.since == Self.until && job.attempts == 0)
            }
            for job in [jobs[1], jobs[3]] { #expect(try await stores.jobs.find(id: job.id) == job) }
            #expect(try await stores.jobs.restartAll(kind: nil, runAt: Self.until) == 2)
            #expect(try await stores.jobs.count(state: .dead) == 0)
            #expect(try await stores.jobs.find(id: jobs[3].id) == jobs[3])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Jobs are listed by time, then ID`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let jobs = (0..<6).map { Job(kind: "mail", runAt: Self.now + TimeInterval($0 % 2)) }
            for job in jobs {
                _ = try await stores.jobs.enqueue(job)
            }
            let expected = jobs.sorted { ($0.runAt, $0.id) < ($1.runAt, $1.id) }.map(\.id)
            #expect(try await stores.jobs.list(state: nil, limit: 10).map(\.id) == expected)
            #expect(try await stores.jobs.list(state: .ready, limit: 4).map(\.id) == Array(expected.prefix(4)))
            #expect(try await stores.jobs.list(state: .dead, limit: 4).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Jobs are counted by state`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let job = try await stores.leasedJob()
            for _ in 0..<3 {
                _ = try await stores.jobs.enqueue(Job(kind: "mail", runAt: Self.now))
            }
            func counts() async throws -> [Job.State: Int] {
                var counts: [Job.State: Int] = [:]
                for state in Job.State.allCases {
                    counts[state] = try await stores.jobs.count(state: state)
                }
                return counts
            }
            #expect(try await counts() == [.ready: 3, .leased: 1, .done: 0, .dead: 0])
            _ = try await stores.jobs.markDead(id: job.id, owner: "a", error: "x")
            #expect(try await counts() == [.ready: 3, .leased: 0, .done: 0, .dead: 1])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Dead jobs from before an instant are deleted, and no others`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let dead = try await stores.leasedJob(dedupeKey: "dead")
            #expect(try await stores.jobs.markDead(id: dead.id, owner: "a", error: "x"))
            let done = try await stores.leasedJob(dedupeKey: "done")
            #expect(try await stores.jobs.complete(id: done.id, owner: "a"))
            let ready = Job(kind: "mail", runAt: Self.now)
            _ = try await stores.jobs.enqueue(ready)

            try await stores.jobs.deleteDead(before: Self.now)
            #expect(try await stores.jobs.find(id: dead.id) != nil)
            try await stores.jobs.deleteDead(before: Self.now + 1)
            #expect(try await stores.jobs.find(id: dead.id) == nil)
            #expect(try await stores.jobs.find(id: done.id) != nil)
            #expect(try await stores.jobs.find(id: ready.id) != nil)
            #expect(try await stores.jobs.enqueue(Job(kind: "mail", dedupeKey: "dead", runAt: Self.now)))
        }
    }
}

extension Stores {
    /// A job of kind `mail`, leased by worker `a` for a minute.
    fileprivate func leasedJob(dedupeKey: String? = nil) async throws -> Job {
        _ = try await jobs.enqueue(Job(kind: "mail", dedupeKey: dedupeKey, runAt: Instants.now))
        let leased = try await jobs.lease(kinds: ["mail"], owner: "a", at: Instants.now, until: Instants.now + 60)
        return try #require(leased)
    }
}
