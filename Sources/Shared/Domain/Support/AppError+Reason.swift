extension AppError {
    /// The violated rule, for programs. The raw value goes over the wire, at the end of a problem document's `type`, so it
    /// never changes. `templates/pages/api.html` explains each one to clients.
    package enum Reason: String, Sendable, CaseIterable {
        // MARK: Defaults: a code without a more specific reason

        case malformed
        case unauthenticated
        case forbidden
        case notFound = "not-found"
        case conflict
        case tooSlow = "too-slow"
        case tooLarge = "too-large"
        case unsupportedMediaType = "unsupported-media-type"
        /// The default of `Code.unprocessable`.
        case refused
        case tooManyRequests = "too-many-requests"
        case unavailable

        // MARK: Requests and the server

        /// No route has this path.
        case noSuchRoute = "no-such-route"
        /// The path exists, but not with this method.
        case methodNotAllowed = "method-not-allowed"
        /// The request did not arrive completely.
        case cutShort = "cut-short"
        /// The body has a transfer coding other than chunked.
        case transferCoding = "transfer-coding"
        case controlCharacter = "control-character"
        /// The body has a field that the operation does not have.
        case unknownField = "unknown-field"
        /// A form came from another site's page.
        case otherSite = "other-site"
        /// A form lacks the token of the page it should come from.
        case formNotOurs = "form-not-ours"
        /// A fault of the server.
        case internalError = "internal-error"
        /// The server is being stopped.
        case stopping
        case storeUnavailable = "store-unavailable"
        /// The clock differs from that of the store or of other processes.
        case clockDoubtful = "clock-doubtful"
        /// Too many ballots, or requests for ballot papers, are waiting.
        case overloaded

        // MARK: Log-ins

        case notLoggedIn = "not-logged-in"
        /// Unknown user, wrong password or disabled account: the answer does not say which.
        case wrongCredentials = "wrong-credentials"
        /// The right password of a registration whose address is not confirmed.
        case addressNotConfirmed = "address-not-confirmed"
        case tooManyLogIns = "too-many-log-ins"
        /// Too many passwords are being checked.
        case logInQueueFull = "log-in-queue-full"
        case invalidToken = "invalid-token"
        case tokenExpired = "token-expired"
        case invalidRefreshToken = "invalid-refresh-token"
        /// Two parties have the refresh token.
        case refreshTokenReused = "refresh-token-reused"
        case sessionEnded = "session-ended"
        case noSuchSession = "no-such-session"
        /// The log-in is too old for a change that an account without a password cannot confirm otherwise.
        case logInAgain = "log-in-again"
        case accountDisabled = "account-disabled"
        case notAllowed = "not-allowed"

        // MARK: Single sign-on

        case noSuchProvider = "no-such-provider"
        case providerUnavailable = "provider-unavailable"
        case providerAnswerInvalid = "provider-answer-invalid"
        /// Another browser has started the log-in.
        case logInNotBegunHere = "log-in-not-begun-here"
        /// The log-in at the provider took too long, or is already finished.
        case logInExpired = "log-in-expired"
        /// The user cancelled the log-in at the provider.
        case logInDenied = "log-in-denied"
        case logInCodeExpired = "log-in-code-expired"
        case emailNotVerified = "email-not-verified"
        /// The provider sends no address of the user.
        case emailMissing = "email-missing"
        /// An address that is not verified does not suffice for this account.
        case accountNotLinked = "account-not-linked"
        /// Addresses of this domain cannot log in through the provider.
        case emailDomainNotAllowed = "email-domain-not-allowed"
        /// The provider knows the user, but no account has their address.
        case noAccount = "no-account"
        case identityTaken = "identity-taken"

        // MARK: Accounts

        case noSuchUser = "no-such-user"
        /// A user or a team has the name, case-folded.
        case nameTaken = "name-taken"
        case tooManyNames = "too-many-names"
        case displayNameNotValid = "display-name-not-valid"
        case emailTaken = "email-taken"
        case emailUnchanged = "email-unchanged"
        case noSuchLanguage = "no-such-language"
        /// Stored data changed between reading and writing.
        case changedMeanwhile = "changed-meanwhile"
        /// Users cannot do this to their own account in this way.
        case ownAccount = "own-account"
        case lastAdmin = "last-admin"
        /// The account is the only lead of a team with other members.
        case lastLead = "last-lead"
        case wrongPassword = "wrong-password"
        case passwordTooShort = "password-too-short"
        case passwordTooLong = "password-too-long"
        case passwordTooCommon = "password-too-common"
        case passwordIsServiceName = "password-is-service-name"
        case passwordIsOwnName = "password-is-own-name"
        /// The password is the one that someone else set for the user.
        case passwordIsHandedOut = "password-is-handed-out"
        /// The installation asks for classes of characters.
        case passwordNeedsOtherCharacters = "password-needs-other-characters"
        /// The password contains a control character.
        case passwordNotText = "password-not-text"
        case tooManyMails = "too-many-mails"
        /// A mailed link was used, has expired, was replaced, or never existed.
        case linkExpired = "link-expired"
        case registrationOff = "registration-off"
        /// Addresses of this domain cannot register.
        case domainNotOpen = "domain-not-open"
        case tooManyRegistrations = "too-many-registrations"
        /// The name of the first team, at the setup.
        case teamNameNotValid = "team-name-not-valid"
        case noSuchTimeZone = "no-such-time-zone"

        // MARK: Invitations

        case noSuchInvitation = "no-such-invitation"
        case alreadyInvited = "already-invited"
        /// The invited address has no account, so a user name and a password are needed.
        case accountNeeded = "account-needed"
        /// Users cannot invite themselves.
        case ownInvitation = "own-invitation"
        case tooManyInvitations = "too-many-invitations"
        /// A list of invitations is too long.
        case tooManyLines = "too-many-lines"

        // MARK: Teams

        /// There is no such team, or the caller is not in it.
        case noSuchTeam = "no-such-team"
        case noDefaultTeam = "no-default-team"
        case leadsOnly = "leads-only"
        /// The team's other members would have no lead.
        case onlyLead = "only-lead"
        /// Users cannot make themselves leads.
        case ownRole = "own-role"
        case alreadyAMember = "already-a-member"
        /// Another account with the same mailbox is in the team.
        case mailboxInTeam = "mailbox-in-team"
        case thresholdAboveMembers = "threshold-above-members"
        /// The team to delete has a different name than the request says.
        case otherTeam = "other-team"

        // MARK: Sprints

        case noSuchSprint = "no-such-sprint"
        /// The text is not a sprint's label.
        case notASprint = "not-a-sprint"
        /// Every label of this year and number is taken.
        case labelTaken = "label-taken"
        case sprintNotOpen = "sprint-not-open"

        // Why a sprint is not opened again. Only the operator's command says these: none is an answer of the API.

        case laterSprintHasVotes = "later-sprint-has-votes"
        case sprintOver = "sprint-over"
        case sprintNotClosed = "sprint-not-closed"
        case sprintImported = "sprint-imported"
        case sprintPublished = "sprint-published"
        case sprintHasVotes = "sprint-has-votes"
        case sprintHasPapers = "sprint-has-papers"

        // MARK: Voting

        case alreadyVoted = "already-voted"
        /// Another member with the same mailbox has voted, or has a ballot paper.
        case mailboxVoted = "mailbox-voted"
        /// Everyone has voted.
        case sprintComplete = "sprint-complete"
        case happinessNotANumber = "happiness-not-a-number"
        case happinessOutOfRange = "happiness-out-of-range"
        case happinessTooPrecise = "happiness-too-precise"
        case feedbackTooLong = "feedback-too-long"
        /// The feedback contains a control character.
        case feedbackNotText = "feedback-not-text"
        case sealedBallotsOnly = "sealed-ballots-only"
        case noSuchBallotKey = "no-such-ballot-key"
        /// The key was encrypted with another secret than the server has now.
        case ballotKeyUnreadable = "ballot-key-unreadable"
        case blindedMessageNotValid = "blinded-message-not-valid"
        /// Another ballot paper of the member is being signed.
        case paperUnderWay = "paper-under-way"
        case ballotPaperNotValid = "ballot-paper-not-valid"
        case randomnessNotValid = "randomness-not-valid"
        /// A sealed ballot came with a token or a cookie, which say who sent it.
        case ballotWithLogIn = "ballot-with-log-in"
        /// A ballot with this ballot paper has been counted.
        case alreadyCounted = "already-counted"

        // MARK: Results

        case nothingPublished = "nothing-published"
        /// A link to shared results or to a calendar is not valid.
        case noSuchLink = "no-such-link"
        case noSuchCount = "no-such-count"
        case countNotCheckable = "count-not-checkable"
        /// The user already listens to the maximal number of streams.
        case tooManyStreams = "too-many-streams"
        /// The server has no place for another stream.
        case streamsFull = "streams-full"
        case experimentsOverlap = "experiments-overlap"

        // MARK: Actions

        case noSuchAction = "no-such-action"
        case actionTitleMissing = "action-title-missing"
        case actionTooLong = "action-too-long"
        /// A text of the action contains a control character.
        case actionNotText = "action-not-text"
        /// The due day is not a date, or is out of range.
        case actionDue = "action-due"
        case assigneeNotInTeam = "assignee-not-in-team"
        /// A quote for leads cannot be shown to the team.
        case quoteForLeads = "quote-for-leads"
        /// The team has too many open actions.
        case tooManyActions = "too-many-actions"
        /// The team has too many actions, including finished ones.
        case actionsFull = "actions-full"
        /// A member who is not a lead has added too many actions within a day.
        case tooManyNewActions = "too-many-new-actions"

        // MARK: Reminders and devices

        case unknownPlaceholder = "unknown-placeholder"
        case tooManyMessages = "too-many-messages"
        case noSuchDevice = "no-such-device"
        case tooManyDevices = "too-many-devices"
        case deviceTokenNotValid = "device-token-not-valid"
        case appVersionNotValid = "app-version-not-valid"
        case webPushOff = "web-push-off"
        case pushEndpointNotAllowed = "push-endpoint-not-allowed"
        case pushKeysNotValid = "push-keys-not-valid"

        // MARK: Pictures

        /// The file is not a JPEG, PNG or WebP.
        case pictureType = "picture-type"
        case pictureAnimated = "picture-animated"
        case pictureTooLarge = "picture-too-large"
        case pictureTooSmall = "picture-too-small"
        case pictureUnreadable = "picture-unreadable"
        case uploadUnderWay = "upload-under-way"
        case tooManyUploads = "too-many-uploads"
        case picturesUnavailable = "pictures-unavailable"
        case picturesBusy = "pictures-busy"
        /// The picture was replaced or removed.
        case pictureGone = "picture-gone"
        case pictureLinkInvalid = "picture-link-invalid"
        case pictureLinkEnded = "picture-link-ended"

        // MARK: Operation

        case noSuchText = "no-such-text"
        case textEmpty = "text-empty"
        case textTooLong = "text-too-long"
        /// A page's text contains a control character.
        case textNotText = "text-not-text"
        /// A page's text lacks a placeholder of the original, or has another one.
        case textPlaceholders = "text-placeholders"
        case noSuchClientError = "no-such-client-error"
        /// The error can be removed tomorrow.
        case clientErrorSeenToday = "client-error-seen-today"
        case tooManyReports = "too-many-reports"
        /// The job removes the remaining data of a deleted account or team.
        case leavesTraces = "leaves-traces"
    }
}
