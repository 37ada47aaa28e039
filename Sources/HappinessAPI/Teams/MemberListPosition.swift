import Domain
import Foundation
import Hummingbird

/// A page of the list of members. Its forms have it in their address, since text in a field is kept for the sender if
/// their login has ended (`SavedForm`).
struct MemberListPosition: Hashable, Sendable {
    /// The beginning of a name; blank for all members.
    let search: String
    /// The position of the previous page's last member; `nil` for the first page.
    let after: MemberPosition?

    /// By default the first page of all members.
    init(search: String = "", after: MemberPosition? = nil) {
        self.search = search.trimmingCharacters(in: .whitespacesAndNewlines)
        self.after = after
    }

    /// From a request's query; an unknown position is the first page.
    init(_ request: Request) {
        self.init(search: request.field("search") ?? "", after: request.field("after").flatMap { MemberPosition($0) })
    }

    /// The first page of the same search.
    var firstPage: MemberListPosition { MemberListPosition(search: search) }

    /// The address of this page of the list, or of one of its forms.
    /// - Parameters:
    ///   - path: the list or the form.
    ///   - notice: the success message that it shows.
    func address(on path: SitePath, done notice: ManageNotice? = nil) -> SitePath {
        path.adding("search", search).adding("after", after?.description).adding("done", notice?.addressName)
    }
}
