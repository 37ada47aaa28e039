import Domain
import Hummingbird
import Services

/// Lists all accounts, with a search.
struct AdminUserListPageController: Sendable {
    let forms: AdminForms
    let people: UserAdministrationService

    /// `GET /admin/people?search=&after=`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            let search = request.field("search") ?? ""
            let after = request.field("after")
            let list = try await people.list(matching: search, after: after, by: visit.principal.caller)
            return AdminUserListPage(list, search: search, isFirst: after == nil, visit: visit)
        }
    }
}

/// A page of the list.
struct AdminUserListPage: Page {
    static let template = "admin-people"

    let navigation: AdministrationNavigation
    /// The search text.
    let search: String
    let rows: [Row]
    let isEmpty: Bool
    let pager: Pager
    let done: String?

    struct Row: Sendable {
        /// Path of the person's page.
        let address: SitePath
        let name: String
        /// The user name, by which the list is sorted, if `name` is another one.
        let userName: String?
        let email: String
        let role: String
        let isAdmin: Bool
        let isDisabled: Bool
        /// Whether mails to the address do not arrive.
        let mailsReturn: Bool
        let teams: Int
        /// The day on which the account was created.
        let since: String
    }

    init(_ list: UserListPage, search: String, isFirst: Bool, visit: PageVisit) {
        let path = SitePath.adminPeople
        navigation = AdministrationNavigation(at: .people, words: visit.words)
        self.search = search
        rows = list.people.map { person in
            Row(
                address: .adminPerson(person.user.id), name: person.user.shownName, userName: person.user.hiddenName,
                email: person.user.email, role: person.user.role.label(visit.words),
                isAdmin: person.user.role == .admin, isDisabled: person.user.isDisabled,
                mailsReturn: person.user.addressFault != nil, teams: person.teamCount,
                since: person.user.createdOn.text(in: visit.frame.language))
        }
        isEmpty = rows.isEmpty
        pager = Pager(
            first: isFirst ? nil : path.adding("search", search),
            next: list.nextAfter.map { path.adding("search", search).adding("after", $0) })
        done = visit.done
    }
}
