/// The texts on which members base their decision to share something: they say who sees what, and warn where nothing is
/// protected.
///
/// They describe the program truthfully and must not be customised: otherwise an installation could tell members of a
/// team in which every vote is visible immediately that none ever is.
enum LockedTexts {
    /// Whether a text is one of them.
    /// - Parameter name: in the form of `TextKey.name`.
    static func contains(_ name: String) -> Bool {
        names.contains(name) || wholeSections.contains { name.hasPrefix("\($0).") }
    }

    /// The page about trust, and the notice about personal data. What an installation says about itself there is in the
    /// section `controller`.
    private static let wholeSections = ["trust", "cheats", "notice"]

    /// In the form of `TextKey.name`.
    static let names = Set(sections.flatMap { section, keys in keys.map { "\(section).\($0)" } })

    private static let sections: [String: [String]] = [
        // Shown before and during the vote.
        "vote": [
            "noName", "inGroups", "atTheEnd", "unprotected", "teamReads", "leadsRead", "ownName", "saysWho",
            "otherName", "plain", "unsealable", "toPlain", "toSealed", "sealed", "sealedOnly", "sealedElsewhere",
            "ballotKey", "keyDiffers",
        ],
        "app": ["unsentWaitsForOwner"],
        "webApp": ["description"],
        // Shown next to the way to the vote and the value.
        "live": [
            "voteText", "voteUnprotected", "inGroups", "atOnce", "nobodySees", "tooFew", "smallTeam", "smallTeamOfOne",
            "firstResult", "resultAtEnd", "joined", "joinedOfOne",
        ],
        "history": ["nothingYetRule"],
        "sprint": [
            "distributionLive", "distributionLater", "distributionTooFew", "distributionAlike", "feedbackOrder",
            "leadsRead", "noFeedbackLeft", "sealed", "allSealed", "checkText", "checkSum", "checkSumOfOne",
            "checkWrongSum", "checkOwn", "checkOwnMissing", "checkOwnUnknown", "checkPapers", "checkTooMany",
            "checkWrongList", "checkOtherKey", "checkWrongPapers", "checkUnsigned", "checkCode", "checkNotPossible",
        ],
        "actions": ["notesHint", "quoteHint", "quoteLeadsHint", "meTooHint", "addedHint"],
        // The options for leads, including their names, because two could be swapped.
        "teamSettings": [
            "whenItCounts", "thresholdHint", "live", "liveText", "close", "closeText", "immediate", "immediateText",
            "teamReads", "leadsRead", "readersHint", "thresholdInForce", "confirmRaise", "anyBallots", "sealedBallots",
            "ballotsHint", "seenInGroups", "seenAtEnd", "seenAtEndUntil", "seenAtOnce", "seenAtOnceOfOne", "seenNever",
            "seenNeverOfOne", "policyInForce",
        ],
        "setup": ["policyHint"],
        "teamReminders": ["againHint"],
        "experiments": ["rule"],
        "members": ["makeLeadText", "removeText", "sharedMailbox"],
        "share": ["text"],
        "teamMessages": ["listHint"],
        "manage": ["participationHint", "noResults"],
        // For members who join, are absent or leave.
        "invitation": ["text"],
        "register": ["nameRule"],
        "sessions": ["hint"],
        // Tells users that somebody else may know their password.
        "ownPassword": ["text", "tag"],
        // Shows users that an administrator may have taken over their account.
        "email": ["setOn", "setOnHint"],
        "absences": ["text"],
        "deletion": ["staysSums", "staysTexts", "staysReceipts"],
        "dataExport": ["votes"],
        // Tells administrators what they can see and do.
        "adminPeople": ["roleHint", "emailHint", "emailSetOn", "deleteStays"],
        "adminTeams": ["hint"],
        "adminDeliveries": ["hint"],
        "clientErrors": ["hint", "countHint"],
        "status": ["steps"],
    ]
}
