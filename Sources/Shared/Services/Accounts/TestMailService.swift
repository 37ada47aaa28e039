package import Domain
package import Storage

/// Sends admins a mail on request, so that they see whether mails arrive.
package struct TestMailService: Sendable {
    private let store: any Store
    private let jobs: any JobStore
    private let mails: MailJobs

    /// - Parameter mails: writes the job.
    package init(stores: Stores, mails: MailJobs) {
        store = stores.rows
        jobs = stores.jobs
        self.mails = mails
    }

    /// Sends it to the admin's own address: nobody can send mails to others with this.
    /// - Returns: whether it will be sent; false if one was sent in the last minutes.
    /// - Throws: `AppError.forbidden`.
    package func send(by principal: Principal) async throws -> Bool {
        try await store.requireAdmin(principal.caller)
        return try await jobs.enqueue(try mails.test(to: principal.userID))
    }
}
