import Domain
import TestSupport
import Testing

/// The reasons of errors, which programs compare.
@Suite struct AppErrorReasonTests {
    /// Apps that are installed compare these, so none of them changes. A new one is added.
    private static let frozen = """
        account-disabled account-needed account-not-linked action-due action-not-text action-title-missing
        action-too-long actions-full address-not-confirmed already-a-member already-counted already-invited
        already-voted app-version-not-valid assignee-not-in-team
        ballot-key-unreadable ballot-paper-not-valid ballot-with-log-in blinded-message-not-valid changed-meanwhile
        client-error-seen-today clock-doubtful conflict control-character count-not-checkable cut-short
        device-token-not-valid display-name-not-valid domain-not-open email-domain-not-allowed email-missing
        email-not-verified
        email-taken email-unchanged experiments-overlap feedback-not-text feedback-too-long forbidden form-not-ours
        happiness-not-a-number happiness-out-of-range happiness-too-precise identity-taken internal-error
        invalid-refresh-token invalid-token label-taken last-admin last-lead later-sprint-has-votes leads-only
        leaves-traces link-expired log-in-again log-in-code-expired log-in-denied log-in-expired
        log-in-not-begun-here log-in-queue-full mailbox-in-team mailbox-voted malformed method-not-allowed
        name-taken no-account no-default-team no-such-action no-such-ballot-key no-such-client-error no-such-count
        no-such-device no-such-invitation no-such-language no-such-link no-such-provider no-such-route
        no-such-session no-such-sprint no-such-team no-such-text no-such-time-zone no-such-user not-a-sprint
        not-allowed not-found not-logged-in nothing-published only-lead other-site other-team overloaded own-account
        own-invitation own-role paper-under-way password-is-handed-out password-is-own-name password-is-service-name
        password-needs-other-characters password-not-text password-too-common password-too-long password-too-short
        picture-animated picture-gone picture-link-ended picture-link-invalid picture-too-large picture-too-small
        picture-type picture-unreadable pictures-busy pictures-unavailable provider-answer-invalid
        provider-unavailable push-endpoint-not-allowed push-keys-not-valid quote-for-leads randomness-not-valid
        refresh-token-reused refused registration-off sealed-ballots-only session-ended sprint-complete
        sprint-has-papers sprint-has-votes sprint-imported sprint-not-closed sprint-not-open sprint-over
        sprint-published stopping store-unavailable streams-full team-name-not-valid text-empty text-not-text
        text-placeholders text-too-long threshold-above-members token-expired too-large too-many-actions
        too-many-devices too-many-invitations too-many-lines too-many-log-ins too-many-mails too-many-messages
        too-many-names too-many-new-actions too-many-registrations too-many-reports too-many-requests
        too-many-streams too-many-uploads too-slow transfer-coding unauthenticated unavailable unknown-field unknown-placeholder
        unsupported-media-type upload-under-way web-push-off wrong-credentials wrong-password
        """

    @Test func `The reasons that go over the wire do not change`() {
        let present = AppError.Reason.allCases.map(\.rawValue).sorted()
        #expect(present == Self.frozen.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    @Test func `A reason is in kebab case and has the same words in the code`() {
        for reason in AppError.Reason.allCases {
            #expect(reason.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(reason)")
            #expect("\(reason)".lowercased() == reason.rawValue.split(separator: "-").joined())
        }
    }

    @Test func `Every reason is thrown somewhere`() throws {
        var thrown = Set(AppError.Code.allCases.map { "\(AppError($0, "").reason)" })
        for source in try Repository.sources(in: "Sources") {
            thrown.formUnion(source.text.matches(of: /\breason: \.(\w+)/).map { String($0.output.1) })
        }
        #expect(AppError.Reason.allCases.filter { !thrown.contains("\($0)") } == [])
    }

    /// They do not depend on the server's code, and have the reasons as texts.
    @Test func `Clients compare only reasons that exist`() throws {
        let sources =
            try Repository.sources(in: "Sources/HappinessClient") + Repository.sources(in: "Sources/happiness")
            + Repository.sources(in: "public", ending: "js")
        let compared = sources.flatMap { source in
            source.text.matches(of: /(?:reason [=!]==? |case )"([a-z]+(?:-[a-z]+)+)"/).map { String($0.output.1) }
        }
        #expect(compared.contains("already-counted"))
        #expect(compared.filter { AppError.Reason(rawValue: $0) == nil } == [])
    }
}
