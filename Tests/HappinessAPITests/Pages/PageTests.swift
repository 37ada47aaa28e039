import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Services
import TestSupport
import Testing

@testable import HappinessAPI

/// Every page with hostile text, and every text in every language.
@Suite struct PageTests {
    /// Markup, quotation marks, and one with a combining accent, which is a different `Character`.
    private static let hostile = "<script>alert(1)</script>\"'&{{words}}\"\u{301}><img src=x onerror=alert(2)>'\u{301}"

    /// As no request can make it.
    private static let hostileAddress = SitePath(path: hostile)

    private static let problem = FormProblem(hostile, at: hostile)

    /// One of every page, with hostile text. A missing template fails `Every template is shown here`.
    private static let pages: [any Page] = [
        MessagePage(title: hostile, text: hostile, next: .init(address: hostileAddress, label: hostile)),
        PasswordForgottenPage(email: hostile, problem: problem),
        PasswordResetPage(userName: hostile, token: hostile, needsClasses: true, problem: problem),
        PasswordResetDonePage(generatedPassword: hostile),
        EmailConfirmationPage(email: hostile, token: hostile),
        UnsubscribePage(text: hostile, token: hostile),
        InvitationPage(
            token: hostile, email: hostile, team: hostile, needsClasses: true, name: hostile, problem: problem),
        JoinPage(token: hostile, name: hostile, team: hostile),
        RegisterPage(
            domains: hostile, needsClasses: true, name: hostile, email: hostile, problem: problem),
        RegistrationPage(token: hostile, name: hostile, email: hostile, problem: problem),
        SignedOnPage(userName: hostile, code: hostile, notice: hostile),
        LoginPage(
            username: hostile, next: hostile, problem: problem, hasNoAccounts: true, takesRegistrations: true,
            providers: [.init(address: hostileAddress, name: hostile)], forgetsUser: true, isUnconfirmed: true,
            address: hostile),
        setupPage,
        AdminStartPage(
            [Finding(.advice, hostile, hostile)], firstSteps: firstSteps, done: hostile, problem: problem,
            words: LocalizedTexts(sections: [:]), language: .english),
        LoggedOutPage(kept: hostile, logIn: hostileAddress),
        LoggedInAgainPage(),
        OtherUsersFormPage(kept: hostile),
        SavedFormPage(
            SavedForm(
                path: hostile,
                fields: [.init(name: hostile, value: hostile), .init(name: hostile, value: "1")], formToken: hostile)),
        NoTeamPage(problem: problem),
        SettingsPage(
            name: hostile, email: hostile, mailsReturn: true, pendingEmail: hostile, emailSetOn: hostile,
            passwordIsHandedOut: true, pictureLink: hostile,
            languages: [.init(hostile, hostile, isChosen: true)],
            themes: [.init(hostile, hostile, isChosen: false)],
            teams: [.init(hostile, hostile, isChosen: true)], hasSeveralTeams: true, version: hostile,
            done: hostile, problem: problem),
        PictureSettingsPage(name: hostile, pictureLink: hostile, hasPicture: true, problem: problem),
        PasswordSettingsPage(
            userName: hostile, hasPassword: true, isHandedOut: true, needsClasses: true, problem: problem),
        OwnPasswordPage(
            userName: hostile, address: hostileAddress, next: hostileAddress, needsClasses: true, problem: problem),
        EmailSettingsPage(
            email: hostile, addressFault: hostile, pendingEmail: hostile, setOn: hostile, hasPassword: true,
            typed: hostile, done: hostile, problem: problem),
        SessionSettingsPage(
            present: .init(id: hostile, device: hostile, lastUsed: hostile, lastUsedText: hostile),
            others: [.init(id: hostile, device: hostile, lastUsed: hostile, lastUsedText: hostile)], hasOthers: true,
            done: hostile, problem: problem),
        NotificationSettingsPage(
            push: true, mail: true, results: true, hours: [.init(hostile, hostile, isChosen: true)],
            daysOff: [.init(hostile, hostile, isChosen: true)],
            sendsToBrowsers: true,
            absences: [.init(first: hostile, last: hostile, text: hostile)], first: hostile, last: hostile,
            isAtLimit: false, hasCalendarLink: true, calendarLink: hostile, done: hostile, problem: problem),
        VoteLaterPage(vote: hostileAddress, back: hostileAddress, label: hostile),
        NameSettingsPage(displayName: hostile, userName: hostile, problem: problem),
        AccountDeletionPage(name: hostile, hasPassword: true, problem: problem),
        AccountDeletedPage(title: hostile, text: hostile),
        TeamMemberPage(
            head: manageHead,
            members: [
                .init(
                    id: hostile, name: hostile, userName: hostile, pictureLink: hostile, isLead: true, isMe: false,
                    canLead: true, mailsReturn: true)
            ],
            sharedMailboxes: [hostile], isPaged: true, isEmpty: false, search: hostile, isFirst: true,
            pager: Pager(first: hostileAddress, next: hostileAddress),
            roleAddress: hostileAddress, removeAddress: hostileAddress, mailAgainAddress: hostileAddress,
            invitations: [.init(id: hostile, email: hostile, text: hostile)], hasInvitations: true, emails: hostile,
            report: [.init(email: hostile, text: hostile, isInvited: true)], hasReport: true,
            roles: [.init(hostile, hostile, isChosen: true)], languages: [.init(hostile, hostile, isChosen: true)],
            invitesLeads: true,
            sharing: .init(isShared: true, addresses: .init(page: hostile, chart: hostile))),
        SearchPage(
            search: hostile,
            matches: [
                .init(
                    address: hostileAddress, kind: hostile,
                    title: [.init(text: hostile, isHit: true), .init(text: hostile, isHit: false)], detail: hostile)
            ], found: hostile),
        OfflinePage(address: hostile),
        VoteNotCountedPage(problem: hostile, feedback: hostile, next: .init(address: hostileAddress, label: hostile)),
    ]

    private static var setupPage: SetupPage {
        var page = SetupPage(
            token: hostile, needsClasses: true, timeZone: hostile, words: LocalizedTexts(sections: [:]))
        page.team = hostile
        page.name = hostile
        page.email = hostile
        page.problem = problem
        return page
    }

    private static let firstSteps = FirstStepsCard(
        FirstSteps(teamID: .random(), teamName: hostile, people: 1, reminderTest: .accepted, hasVoted: false),
        words: LocalizedTexts(sections: [:]))

    @Test(arguments: PageLanguage.allCases)
    func `No text on a page becomes markup`(language: PageLanguage) throws {
        let renderer = try PageRenderer(resources: Repository.resources, texts: Self.texts())
        let plain = Self.markup(in: try renderer.html(MessagePage(title: "a", text: "b"), in: Self.frame(language)))
        #expect(
            plain.filter { $0.hasPrefix("<script") || $0.hasPrefix("<img") }.count == 2,
            "the viewer’s picture and app.js")
        for page in try Self.everyPage(language) {
            let html = try renderer.html(page, in: Self.frame(language))
            let name = type(of: page).template
            #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "\(name)")
            #expect(html.firstMatch(of: /<script(?! type="module" src="\/assets\/)/) == nil, "\(name)")
            #expect(!html.contains("<img src=x"), "\(name)")
            // A raw quotation mark would end an attribute, with or without an accent.
            #expect(!html.unicodeScalars.contains("\u{301}") || Self.accentsAreEscaped(html), "\(name)")
            #expect(html.contains("<html lang=\"\(language.rawValue)\">"), "\(name)")
        }
        let topic = try renderer.html(Self.reference, in: Self.frame(language), template: "reference/teams")
        for place in ["name=\"form-token\" content=\"", "<strong>", "data-team=\""] {
            #expect(topic.contains("\(place)&lt;script&gt;alert(1)"), "\(place)")
        }
        #expect(topic.firstMatch(of: /<script(?! type="module" src="\/assets\/)/) == nil)
    }

    private static let reference = APIReferencePage(formToken: hostile, userName: hostile, teamID: hostile)

    @Test func `Every template is shown here`() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: "templates/pages").path)
        let templates = Set(files.filter { $0.hasSuffix(".mustache") }.map { String($0.dropLast(".mustache".count)) })
        let shown = try Self.everyPage(.english).flatMap { [type(of: $0).template, type(of: $0).viewedTemplate] }
        #expect(templates.subtracting(shown).isEmpty)
    }

    /// The link above the form leads to the field, which names the text beside it.
    @Test(arguments: [
        ("setup", ["username", "email", "password", "repeat", "team", "zone"]),
        ("register", ["username", "email", "password", "repeat"]),
        ("invitation", ["username", "password", "repeat"]), ("password-reset", ["password", "repeat"]),
        ("password-forgotten", ["email"]), ("registration", ["password"]),
        ("settings-name", ["displayName", "username"]), ("settings-password", ["current", "password", "repeat"]),
        ("own-password", ["current", "password", "repeat"]),
        ("settings-email", ["email", "current"]),
        ("settings-delete", ["current"]), ("settings-notifications", ["first", "last"]),
        ("admin-team-new", ["name"]), ("admin-team-delete", ["name"]), ("admin-invitation-new", ["email", "team"]),
        ("admin-import", ["list"]), ("admin-text", ["text"]), ("vote-plain", ["feedback"]),
        ("action-new", ["title", "assignee", "due"]), ("action", ["title", "assignee", "due"]),
        ("manage-settings", ["name", "zone", "anchor", "threshold"]), ("manage-members", ["emails"]),
        ("manage-reminders", ["first", "last"]), ("manage-experiments", ["first", "last"]),
    ])
    func `A problem is shown at its field`(template: String, fields: [String]) throws {
        let text = try String(
            contentsOf: Repository.root.appending(path: "templates/pages/\(template).mustache"), encoding: .utf8)
        let form = try String(
            contentsOf: Repository.root.appending(path: "templates/partials/action-form.mustache"), encoding: .utf8)
        let html = template.hasPrefix("action") ? text + form : text
        #expect(html.contains("{{> problem}}") || html.contains("{{> manage-notices}}") || template == "action")
        for field in fields {
            #expect(html.contains(#" id="\#(field)""#), "\(field)")
            #expect(html.contains(#"<span class="wrong" id="\#(field)-problem">{{.}}</span>"#), "\(field)")
        }
    }

    /// Otherwise a browser without `Sec-Fetch-Site` could not send the form (`SameOriginMiddleware`).
    @Test func `Every form recognised by its origin is on a page that sends it`() throws {
        let renderer = try PageRenderer(resources: Repository.resources, texts: Self.texts())
        let routes = try Repository.sources(in: "Sources/HappinessAPI").flatMap { source in
            source.text.matches(of: /ownForms\.post\("([^"]+)"/).map { String($0.output.1) }
        }
        #expect(Set(routes).isSuperset(of: ["/login", "/kept-form", "/register", "/forgot-password"]))
        for page in try Self.everyPage(.english) {
            let html = try renderer.html(page, in: Self.frame(.english))
            let addresses = html.matches(of: /<form method="post" action="([^"?]*)/).map { String($0.output.1) }
            let isKnownByOrigin = addresses.contains { routes.contains($0) }
            #expect(type(of: page).formTellsOrigin == isKnownByOrigin, "\(type(of: page).template)")
        }
    }

    @Test func `No template has triple Mustache braces`() throws {
        for file in try Self.templates() {
            #expect(!file.text.contains("{{{") && !file.text.contains("{{&"), "\(file.name)")
        }
    }

    /// A missing key renders as nothing, so it would go unnoticed.
    @Test func `Every text that is used exists in every language, and none is unused`() throws {
        var used = Set(FormNoticeTests.keys)
        used.formUnion(Self.keysOfValues.joined())
        used.formUnion(try SourceSentences.templates().map { "\(LocalizedTexts.apiSection).\($0)" })
        for file in try Self.templates() {
            used.formUnion(file.text.matches(of: /\bwords\.(\w+\.[\w-]+)/).map { String($0.output.1) })
        }
        // The domain has the texts of charts and reminders, services and the worker those that pages and mails share.
        let folders = ["Sources/HappinessAPI", "Sources/Mail", "Sources/Shared", "Sources/Worker"]
        for source in try folders.flatMap({ try Repository.sources(in: $0) }) {
            used.formUnion(source.text.matches(of: /[\s.(]text\(\s*"([a-z]\w*\.[\w-]+)"/).map { String($0.output.1) })
            used.formUnion(source.text.matches(of: /keywords: "(\w+)"/).map { "search.\($0.output.1)Keywords" })
            let counted = source.text.matches(of: /[\s.(]text\(\s*"([a-z]\w*\.[\w-]+)",\s*count:/)
            used.formUnion(counted.map { "\($0.output.1)OfOne" })
        }
        for language in PageLanguage.allCases {
            let words = try Self.words(language)
            let there = Set(words.sections.flatMap { section, texts in texts.keys.map { "\(section).\($0)" } })
            // Read by the reason of an error.
            let reasons = Set(AppError.Reason.allCases.map { "errors.\($0.rawValue)" })
            #expect(used.subtracting(there).isEmpty, "used, but not in \(language.rawValue).json")
            #expect(there.subtracting(used).subtracting(reasons).isEmpty, "in \(language.rawValue).json, but not used")
            #expect(words.sections.values.allSatisfy { $0.values.allSatisfy { !$0.isEmpty && !$0.contains("<") } })
        }
        let keys = try PageLanguage.allCases.map { language in
            try Self.words(language).sections.mapValues { Set($0.keys) }
        }
        #expect(Set(keys).count == 1, "a text exists in one language only")
        // Elsewhere, English sentences of the API are those in the code.
        let api = try Self.words(.english).sections[LocalizedTexts.apiSection] ?? [:]
        #expect(!api.isEmpty && api.allSatisfy { $0.key == $0.value })
        // The catalogue fills gaps with English texts.
        #expect(try Self.texts().missing.isEmpty)
    }

    /// The texts that code finds by a value's name.
    private static let keysOfValues: [[String]] = [
        keys("actions", Action.State.self), keys("admin", AdministrationSection.self),
        keys("admin", AdministrationSection.self, "Text"), keys("adminDeliveries", Delivery.Kind.self),
        keys("adminDeliveries", Delivery.State.self), keys("adminJobs", Job.State.self),
        keys("clientErrors", ClientErrorReport.App.self), keys("clientErrors", ClientErrorReport.Level.self),
        keys("weekdays", Weekday.self), keys("experiments", ReminderExperiment.Side.self),
        keys("health", Finding.Key.self), keys("health", Finding.State.self),
        keys("healthParts", HealthRow.Part.self),
        keys("search", SearchMatch.Target.Kind.self),
        keys("search", AdministrationSection.self, "SectionKeywords"),
        keys("status", ProcessRecord.Kind.self), keys("status", ServicePart.Purpose.self),
        keys("status", ServicePart.State.self), keys("teamMessages", Delivery.Kind.self),
        keys("teamReminders", ReminderOccasion.Kind.self),
        keys("trust", TrustVerdict.self), keys("trust", TrustVerdict.self, "Text"), keys("trust", TrustObserver.self),
        keys("trust", TrustObserver.self, "Check"), keys("trust", TrustObserver.Sentence.self, "Learns"),
        keys("trust", TrustObserver.Contact.self), keys("cheats", TrustCheat.self),
        keys("cheats", TrustCheat.self, "Notice"), keys("notice", PrivacyNoticePage.Blank.self),
        keys("notice", TrustInstallation.Recipient.self), keys("controller", PrivacyNoticePage.Blank.self),
        keys("teamSettings", PublicationPolicy.self), keys("teamSettings", PublicationPolicy.self, "Text"),
    ]

    private static func keys<Value: CaseIterable & RawRepresentable<String>>(
        _ section: String, _ type: Value.Type, _ suffix: String = ""
    ) -> [String] {
        type.allCases.map { "\(section).\($0.rawValue)\(suffix)" }
    }

    @Test func `Every mailed link leads to a page`() async throws {
        try await TestApp.with { app in
            let notMailed: Set<OneTimeToken.Purpose> = [.logIn, .calendar, .unconfirmedLogIn]
            for purpose in OneTimeToken.Purpose.allCases where !notMailed.contains(purpose) {
                let response = try await app.get("\(purpose.pagePath)?token=x")
                #expect(response.headers[.contentType]?.hasPrefix("text/html") == true, "\(purpose.pagePath)")
            }
        }
    }

    @Test func `The language switch keeps the rest of the address`() {
        let request = Self.request("/user/resetPassword?token=a-b_c&language=de")
        #expect(PageFrame(request).language == .german)
        let addresses = PageFrame(request).otherLanguages.map(\.address.path)
        #expect(addresses == ["/user/resetPassword?token=a-b_c&language=en"])
        #expect(PageFrame(Self.request("/confirm-email", method: .post)).otherLanguages.isEmpty)
    }
}

extension PageTests {
    private static func texts() throws -> TextCatalog {
        try TextCatalog(resources: Repository.resources)
    }

    private static func words(_ language: PageLanguage) throws -> LocalizedTexts {
        try .original(in: language.mailLocale)
    }

    private static func request(_ path: String, method: HTTPRequest.Method = .get) -> Request {
        Request(
            head: HTTPRequest(method: method, scheme: nil, authority: nil, path: path),
            body: RequestBody(buffer: .init()))
    }

    private static func frame(_ language: PageLanguage) -> PageFrame {
        var frame = PageFrame(request("/page?token=%3Cscript%3E%22&language=\(language.rawValue)"))
        let team = Viewer.TeamLink(teamID: .random(), name: hostile, address: hostileAddress, isChosen: true)
        frame.viewer = Viewer(
            id: hostile, name: hostile, userName: hostile, email: hostile, pictureLink: hostile, formToken: hostile,
            teams: [team], team: team,
            place: team, isLead: true, managesPlace: true, isAdmin: true, hasSeveralTeams: true,
            takesMessages: true)
        return frame
    }

    private static let team = Team(name: hostile)
    private static let manageHead = ManageHead(
        overview: hostileAddress, address: hostileAddress, teamName: hostile, done: hostile, problem: problem)
    private static let sprint = Sprint(
        teamID: team.id, start: TestTeam.firstMonday, end: TestTeam.firstMonday + 14 * TestTeam.day,
        closes: TestTeam.firstMonday + 14 * TestTeam.day, label: SprintLabel(year: 2026, number: 1), threshold: 3,
        policy: .live)

    /// All pages, including those that depend on a team's state.
    private static func everyPage(_ language: PageLanguage) throws -> [any Page] {
        let words = try words(language)
        let record = SprintRecord(sprint: sprint, state: .initial, eligible: nil)
        let draft = PlainVotePage.Draft(happiness: hostile, feedback: hostile, problem: problem)
        let answers = Array(repeating: try Happiness(tenths: 70), count: 6)
        var state = PublicationState.initial
        state.count(answers, policy: .immediate, threshold: 3)
        let published = Publication(SprintRecord(sprint: sprint, state: state, eligible: 9))
        let history = HistoryPage(
            TeamHistory(number: 1, publications: [published]),
            marks: [HistoryMark(label: sprint.label, start: sprint.start, titles: [hostile])], stretch: .everything,
            hidesYearBefore: false, team: team, words: words, language: language)
        let action = Action(
            teamID: team.id, content: ActionContent(title: hostile), state: .inProgress, made: ActionSprint(sprint),
            began: ActionSprint(sprint))
        let cards = LiveCards(
            history: [published], previous: published, feedback: [Feedback(id: .random(), text: hostile)],
            actions: [action], team: team, words: words)
        let begun = BegunAction(id: action.id, teamID: team.id, title: hostile, began: ActionSprint(sprint))
        state.close(policy: .immediate, threshold: 3)
        let last = LivePage.LastResult(
            publication: Publication(SprintRecord(sprint: sprint, state: state, eligible: 9)), before: nil,
            begun: [begun])
        let live = LivePage(
            LiveSprint(number: 1, current: Publication(record), previous: nil), last: last, team: team, vote: .open,
            voteAddress: hostileAddress, cards: cards, words: words, now: sprint.start)
        let thanks = LivePage(
            LiveSprint(number: 1, current: Publication(record), previous: nil), team: team, vote: .voted,
            voteAddress: hostileAddress, cards: cards, oneAction: action, words: words, now: sprint.start)
        let detail = SprintPage(
            published, number: 1, neighbours: SprintNeighbours(of: published, in: [published]),
            feedback: [Feedback(id: .random(), text: hostile)],
            countToken: CountToken(secret: TestTeam.secret, sprint: sprint.key), feedbackDays: nil, isFirstPage: true,
            actions: [begun], isLead: true, team: team, words: words)
        let trust = TrustPageSamples.pages(saying: hostile, in: frame(language), texts: try texts(), words: words)
        return pages + trust + (try managePages(published, words: words, language: language)) + [
            reference, live, thanks,
            VotePage(
                sprint, team: team, ownNames: [hostile], others: [hostile], oneAction: action, words: words,
                now: sprint.start),
            PlainVotePage(
                sprint, team: team, draft: draft, oneAction: action, words: words, now: sprint.start),
            history, detail,
        ] + actionPages(action) + AdminPageSamples.pages(saying: hostile, in: frame(language), words: words)
            + (try TextPageSamples.pages(saying: hostile, in: frame(language), words: words))
            + (try OperationPageSamples.pages(saying: hostile, in: frame(language), words: words))
    }

    private static func actionPages(_ action: Action) -> [any Page] {
        var fields = ActionFormFields(action)
        fields.notes = hostile
        fields.quote = hostile
        fields.quoteSprint = hostile
        fields.due = hostile
        let form = ActionForm(fields, quoteReaders: .leads, candidates: [])
        let shown = ActionUser(name: hostile, pictureLink: hostile)
        let moves = [ActionMove(state: hostile, label: hostile)]
        let support = ActionSupportLine(supporters: hostile, isOwn: true, isOpen: true)
        let card = ActionBoardPage.Card(
            id: hostile, version: 1, address: hostileAddress, title: hostile, person: shown, due: hostile,
            isOverdue: true, sprint: hostile, hasQuote: true, moves: moves, mayMove: true,
            support: support)
        let column = ActionBoardPage.Column(
            state: hostile, title: hostile, count: 1, empty: hostile, cards: [card], more: hostile)
        return [
            ActionBoardPage(
                address: hostileAddress, api: hostileAddress, mayAdd: true, manages: true, isEmpty: false,
                columns: [column], done: hostile, problem: problem),
            ActionPage(
                board: hostileAddress, address: hostileAddress, title: hostile, state: hostile, notes: hostile,
                quote: hostile, person: shown, due: hostile, isOverdue: true, sprint: hostile, version: 1, moves: moves,
                mayMove: true, support: support, form: form, isStale: true, done: hostile, problem: problem),
            NewActionPage(board: hostileAddress, manages: false, form: form, problem: problem),
        ]
    }

    /// The pages of a team's management.
    private static func managePages(
        _ published: Publication, words: LocalizedTexts, language: PageLanguage
    ) throws -> [any Page] {
        let text = ReminderText(title: hostile, body: hostile)
        let reminders = ReminderSettings(texts: [.first: [.english: text]])
        let day = try #require(CalendarDay("2026-01-05"))
        let experiment = ReminderExperiment(
            teamID: team.id, kind: .first, first: day, last: day, wordings: [.a: [.english: text]])
        var form = TeamSettingsForm(team)
        form.timeZone = hostile
        let changes = [ConcurrentEdit(field: hostile, label: hostile, value: hostile, isTypedOver: true)]
        var wordings = TeamExperimentForm()
        wordings.texts = experiment.wordings
        let message = Delivery(
            occasion: .init(sprint: sprint.key, kind: .message, day: day), begun: sprint.start,
            text: .init(title: hostile, body: hostile))
        return [
            WallboardPage(
                team,
                history: SharedHistory(teamName: hostile, zone: .gmt, points: [published].compactMap(\.historyPoint)),
                token: hostile, words: words, language: language),
            TeamOverviewPage(
                manageHead, team, history: [published], marks: [], reminders: reminders, words: words),
            TeamSettingsPage(
                manageHead, team: team, form: form, seen: hostile, confirms: hostile, changes: changes, running: sprint,
                words: words, language: language),
            TeamReminderPage(
                head: manageHead, seen: hostile, changes: changes, isChanged: true, isOn: true,
                timings: [.init(hostile, hostile, isChosen: true)], hours: [.init(hostile, hostile, isChosen: true)],
                remindsAgain: true, weekends: [.init(hostile, hostile, isChosen: true)],
                reminders: [
                    .init(
                        title: hostile,
                        texts: [ReminderTextField(text, .first, .english, standard: text, words: words)],
                        isOwn: true)
                ],
                preview: .init(
                    isTried: true, times: [hostile], hasTimes: true,
                    messages: [
                        .init(kind: hostile, language: hostile, code: hostile, title: hostile, body: hostile)
                    ]), quietDays: [.init(first: hostile, last: hostile, text: hostile)],
                typedDays: TypedDays(first: hostile, last: hostile), today: hostile),
            TeamExperimentListPage(
                manageHead, form: wordings, experiments: [experiment], zone: .gmt, today: day, words: words,
                language: language),
            TeamExperimentPage(
                manageHead, list: hostileAddress, experiment: experiment, report: ExperimentReport(sprints: []),
                zone: .gmt, today: day,
                words: words, language: language),
            TeamMessagePage(
                manageHead, draft: .init(title: hostile, body: hostile, isToBeConfirmed: true), recipients: 2,
                reports: [DeliveryReport(delivery: message, counts: nil)], seesParticipation: true, words: words,
                language: language),
        ]
    }

    private static func markup(in html: String) -> [String] {
        html.matches(of: /<[a-z][^>]*>/).map { String($0.output) }
    }

    /// Whether every combining accent follows an escaped quotation mark or apostrophe.
    private static func accentsAreEscaped(_ html: String) -> Bool {
        let scalars = Array(html.unicodeScalars)
        return scalars.indices.allSatisfy { scalars[$0] != "\u{301}" || (scalars[$0 - 1] == ";") }
    }

    private static func templates() throws -> [(name: String, text: String)] {
        let folder = Repository.root.appending(path: "templates")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "pages").path)
        let partials = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "partials").path)
        let topics = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "reference").path)
        let files =
            ["layout.mustache", "app.mustache"]
            + (partials.map { "partials/\($0)" } + pages.map { "pages/\($0)" } + topics.map { "reference/\($0)" })
            .filter { $0.hasSuffix(".mustache") }
        return try files.map { ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
    }
}
