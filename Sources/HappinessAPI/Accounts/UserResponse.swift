import Domain
import Services

/// A page of people.
struct UserListResponse: Encodable {
    let people: [ListedUserResponse]
    @ExplicitNull var nextAfter: String?

    init(_ page: UserListPage) {
        people = page.people.map(ListedUserResponse.init)
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

/// A list entry for one person, as an administrator sees it.
struct ListedUserResponse: Encodable {
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
    /// Number of teams they are in.
    let teams: Int
    /// A day.
    let createdOn: String

    init(_ person: ListedUser) {
        id = person.user.id.description
        name = person.user.name
        displayName = person.user.displayName
        email = person.user.email
        addressFault = person.user.addressFault.map(AddressFaultResponse.init)
        role = person.user.role
        disabled = person.user.isDisabled
        teams = person.teamCount
        createdOn = person.user.createdOn.description
    }
}

/// One person's account as an administrator sees it, without their votes or feedback.
struct UserResponse: Encodable {
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
    /// The teams they are in.
    let teams: [PlaceResponse]
    /// A day.
    let createdOn: String
    /// The day on which an administrator last set the address; missing if none ever did.
    let emailSetOn: String?

    /// A person's membership in one team.
    struct PlaceResponse: Encodable {
        let id: String
        let name: String
        let role: Membership.Role
    }

    init(_ person: Person) {
        id = person.user.id.description
        name = person.user.name
        displayName = person.user.displayName
        email = person.user.email
        addressFault = person.user.addressFault.map(AddressFaultResponse.init)
        role = person.user.role
        disabled = person.user.isDisabled
        teams = person.places.map {
            PlaceResponse(id: $0.team.id.description, name: $0.team.name, role: $0.role)
        }
        createdOn = person.user.createdOn.description
        emailSetOn = person.user.emailSetOn?.description
    }
}
