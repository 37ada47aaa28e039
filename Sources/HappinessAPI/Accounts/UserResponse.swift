import Domain
import Services

/// A page of people.
struct UserListResponse: Encodable {
    let people: [UserResponse<Int>]
    @ExplicitNull var nextAfter: String?

    init(_ page: UserListPage) {
        people = page.people.map { UserResponse($0.user, teams: $0.teamCount) }
        nextAfter = page.nextAfter
    }
}

/// Why mails to an account's address do not arrive.
struct AddressFaultResponse: Encodable {
    let reason: AddressFault.Kind
    /// A day.
    let since: String

    init(_ fault: AddressFault) {
        reason = fault.kind
        since = fault.since.description
    }
}

/// A person's account as an administrator sees it, without their votes or feedback.
struct UserResponse<Teams: Encodable>: Encodable {
    let id: String
    let name: String
    /// Missing if others see `name`.
    let displayName: String?
    let email: String
    /// Missing if nothing is known against the address.
    let addressFault: AddressFaultResponse?
    /// The role in the whole installation.
    let role: User.Role
    let disabled: Bool
    /// The teams they are in; in a list, how many.
    let teams: Teams
    /// A day.
    let createdOn: String
    /// The day on which an administrator last set the address; missing if none ever did, and in a list.
    let emailSetOn: String?

    init(_ user: User, teams: Teams, emailSetOn: CalendarDay? = nil) {
        id = user.id.description
        name = user.name
        displayName = user.displayName
        email = user.email
        addressFault = user.addressFault.map(AddressFaultResponse.init)
        role = user.role
        disabled = user.isDisabled
        self.teams = teams
        createdOn = user.createdOn.description
        self.emailSetOn = emailSetOn?.description
    }
}

/// A person's membership in one team.
struct PlaceResponse: Encodable {
    let id: String
    let name: String
    let role: Membership.Role
}

extension UserResponse<[PlaceResponse]> {
    init(_ person: Person) {
        let places = person.places.map {
            PlaceResponse(id: $0.team.id.description, name: $0.team.name, role: $0.role)
        }
        self.init(person.user, teams: places, emailSetOn: person.user.emailSetOn)
    }
}
