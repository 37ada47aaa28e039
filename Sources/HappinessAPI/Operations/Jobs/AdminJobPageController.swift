import Domain
import Hummingbird
import Services

/// The workers' jobs, and those that failed for good.
struct AdminJobPageController: Sendable {
    let forms: AdminForms
    let jobs: JobService
    /// `nil` if a test sets the time.
    let clock: ClockCheck?

    /// In the order of urgency.
    private static let states: [Job.State] = [.dead, .ready, .leased, .done]

    /// `GET /admin/jobs?state=`; by default those that failed for good.
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            try await page(visit, state: request.field("state").flatMap(Job.State.init) ?? .dead)
        }
    }

    private struct Form: Decodable {
        let job: String

        /// A malformed id is treated as unknown.
        var id: Job.ID { Job.ID(job) ?? .random() }
    }

    /// `POST /admin/jobs/restart`
    func restart(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await submit(request, context, then: .jobRestarted) { id, visit in
            try await jobs.restart(id, by: visit.principal.caller)
        }
    }

    /// `POST /admin/jobs/drop`; the page asks for confirmation first.
    func deleteDead(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await submit(request, context, then: .jobDropped) { id, visit in
            try await jobs.deleteDead(id, by: visit.principal.caller)
        }
    }

    private func submit(
        _ request: Request, _ context: AppRequestContext, then notice: AdminNotice,
        _ change: (Job.ID, PageVisit) async throws -> Void
    ) async throws -> Response {
        try await forms.submit(Form.self, request, context, then: notice) {
            try await page($0, state: .dead)
        } _: { form, visit in
            do {
                try await change(form.id, visit)
            } catch let error as AppError where error.code == .notFound {
                throw FormProblem(visit.words.text("adminJobs.gone"))
            }
        }
    }

    private func page(_ visit: PageVisit, state: Job.State) async throws -> AdminJobsPage {
        let caller = visit.principal.caller
        let counts = try await jobs.counts(by: caller)
        return AdminJobsPage(
            try await jobs.list(state: state, by: caller), state: state,
            counts: Self.states.map { ($0, counts[$0] ?? 0) },
            settingsError: try await jobs.waitingForSettings(by: caller).first?.lastError,
            clockGap: try await clock?.gap(), visit: visit)
    }
}

/// The jobs in one state.
struct AdminJobsPage: Page {
    static let template = "admin-jobs"

    let navigation: AdministrationNavigation
    let filters: [Filter]
    let rows: [Row]
    let isEmpty: Bool
    /// Says that not all jobs are shown.
    let more: String?
    let done: String?
    let problem: FormProblem?
    /// What a waiting job says about a wrong setting.
    let settingsError: String?
    /// Says that scheduled jobs wait because the clock is far ahead, and what to do.
    let clockNotice: String?

    /// A link to the jobs in one state.
    struct Filter: Sendable {
        let address: SitePath
        let label: String
        let count: Int
        let isChosen: Bool
    }

    struct Row: Sendable {
        let id: String
        let name: String
        /// The job's kind as in code.
        let kind: String
        /// When it is or was due.
        let due: String
        let attempts: Int
        /// The worker's message about the last failed attempt.
        let lastError: String?
        /// Path of the page of the account it is about.
        let person: SitePath?
        /// Whether it failed for good, so that it can be restarted or dropped.
        let isDead: Bool
    }

    init(
        _ jobs: [JobSummary], state: Job.State, counts: [(state: Job.State, count: Int)], settingsError: String? = nil,
        clockGap: ClockGap? = nil, visit: PageVisit
    ) {
        self.settingsError = settingsError
        let language = visit.frame.language
        clockNotice = clockGap.map { gap in
            visit.words.text(
                "adminJobs.clock",
                [
                    "now": gap.now.text(inUTCFor: language),
                    "newest": gap.newest?.text(inUTCFor: language) ?? "–",
                ])
        }
        navigation = AdministrationNavigation(at: .jobs, words: visit.words)
        filters = counts.map { one in
            Filter(
                address: SitePath.adminJobs.adding("state", one.state.rawValue),
                label: one.state.label(visit.words), count: one.count, isChosen: one.state == state)
        }
        rows = jobs.map { job in
            Row(
                id: job.id.description, name: JobName(kind: job.kind).text(visit.words), kind: job.kind,
                due: job.runAt.text(inUTCFor: visit.frame.language), attempts: job.attempts, lastError: job.lastError,
                person: job.ids["userID"].flatMap { User.ID($0) }.map(SitePath.adminPerson),
                isDead: job.state == .dead
            )
        }
        isEmpty = rows.isEmpty
        more =
            jobs.count == JobService.maximumCount
            ? visit.words.text("adminJobs.more", ["count": String(JobService.maximumCount)]) : nil
        done = visit.done
        problem = visit.problem
    }
}

extension Job.State {
    /// In the page's language.
    fileprivate func label(_ words: LocalizedTexts) -> String {
        words.text("adminJobs.\(rawValue)")
    }
}
