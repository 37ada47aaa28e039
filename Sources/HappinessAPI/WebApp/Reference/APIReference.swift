import Services

/// The content of the API reference, in the order of `openapi.yaml`. Its texts are English in every language.
///
/// A template finds a missing value in the struct around it, so optional values have names of their own.
struct APIReference: Sendable {
    let topics: [Topic]

    /// A group of operations, one page.
    struct Topic: Sendable {
        /// The part of the page's address.
        let slug: String
        let address: String
        let name: String
        let description: Prose
        let operations: [Operation]
        /// Answers that several of the operations give.
        let answers: [Answer]
        /// Objects in bodies and answers.
        let types: [ObjectType]
    }

    /// A method and a path.
    struct Operation: Sendable {
        /// Its anchor.
        let id: String
        /// Its page and anchor.
        let link: String
        /// In capitals.
        let method: String
        let path: String
        let summary: String
        let callers: Callers
        /// Whether it is more than reading.
        let changes: Bool
        let description: Prose
        /// In path, query and headers.
        let parameters: [Parameter]
        let hasParameters: Bool
        let body: Body?
        /// Answers that no other operation of the topic gives.
        let ownAnswers: [Answer]
        /// Answers that are described once for the topic.
        let sharedAnswers: [AnswerLink]
    }

    /// Who may use an operation; `x-callers` of the document. Members and leads are those of the team that it is about.
    enum Caller: String, Sendable, CaseIterable {
        case anyone, users, members, membersAndAdmins, leads, leadsAndAssignee, leadsAndAdmins, admins
        /// Leads of a team, whichever it is, and administrators.
        case anyLeadsAndAdmins
    }

    /// The same for a template: exactly one is true.
    struct Callers: Sendable {
        let areAnyone: Bool
        let areUsers: Bool
        let areMembers: Bool
        let areMembersAndAdmins: Bool
        let areLeads: Bool
        let areLeadsAndAssignee: Bool
        let areLeadsAndAdmins: Bool
        let areAnyLeadsAndAdmins: Bool
        let areAdmins: Bool

        init(_ caller: Caller) {
            areAnyone = caller == .anyone
            areUsers = caller == .users
            areMembers = caller == .members
            areMembersAndAdmins = caller == .membersAndAdmins
            areLeads = caller == .leads
            areLeadsAndAssignee = caller == .leadsAndAssignee
            areLeadsAndAdmins = caller == .leadsAndAdmins
            areAnyLeadsAndAdmins = caller == .anyLeadsAndAdmins
            areAdmins = caller == .admins
        }
    }

    struct Parameter: Sendable {
        let field: Field
        /// `path`, `query` or `header`.
        let place: String
        /// Values separated by spaces; `nil` if there is no list of them.
        let choices: String?
        /// For an empty field; `nil` if none is written.
        let hint: String?
    }

    /// A parameter, or a field of an object.
    struct Field: Sendable {
        /// Fields of objects within objects are written `outer.inner`, those in lists `list[].inner`.
        let name: String
        let isRequired: Bool
        let type: TypeName
        /// Range, length and such; `nil` if there are none.
        let limits: String?
        let description: Prose
    }

    /// A type's name, with the part that links to the object's description.
    struct TypeName: Sendable {
        let before: String
        let objectName: String?
        let after: String
    }

    /// The body of a request.
    struct Body: Sendable {
        /// Media types.
        let media: String
        let isMandatory: Bool
        /// `json`, `text`, `file`, or `form` for a file in a form.
        let kind: String
        /// The media type that a request from the page has.
        let sentType: String
        /// The file's part of a form.
        let part: String?
        let bodyExample: String?
        let fields: [Field]
        let hasFields: Bool
    }

    struct Answer: Sendable {
        /// Its anchor, if several operations share it.
        let anchor: String
        let status: String
        let description: Prose
        /// The media type; `nil` without a body.
        let answerMedia: String?
        let answerType: TypeName?
        let answerExample: String?
    }

    /// A link to a shared answer.
    struct AnswerLink: Sendable {
        let target: String
        let code: String
    }

    struct ObjectType: Sendable {
        let typeID: String
        let description: Prose
        let fields: [Field]
    }
}

/// A description: paragraphs with pieces of code.
struct Prose: Sendable {
    let paragraphs: [Paragraph]

    struct Paragraph: Sendable {
        let runs: [Run]
    }

    /// Text, then code; either may be missing.
    struct Run: Sendable {
        let plain: String
        let code: String?
        /// The reason of an error, which the page about the API explains.
        let reason: String?
    }

    /// - Parameters:
    ///   - text: paragraphs separated by empty lines; code between backticks.
    ///   - reasons: code that is such a reason becomes a link.
    init(_ text: String?, reasons: Set<String> = []) {
        let blocks = (text ?? "").split(separator: "\n\n").map { $0.split(separator: "\n").joined(separator: " ") }
        paragraphs = blocks.map { block in
            let pieces = block.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
            return Paragraph(
                runs: stride(from: 0, to: pieces.count, by: 2).map { index in
                    let code = index + 1 < pieces.count ? pieces[index + 1] : nil
                    let reason = code.flatMap { reasons.contains($0) ? $0 : nil }
                    return Run(plain: pieces[index], code: reason == nil ? code : nil, reason: reason)
                })
        }
    }
}
