/// The texts by which people decide what they give away: they say who sees what, and warn where nothing is protected.
///
/// They are true of the program and must stay so: with words of its own an installation could tell the members of a team
/// in which every vote shows at once that none ever does.
enum LockedTexts {
    /// As `TextKey.name`.
    static let names = Set(sections.flatMap { section, keys in keys.map { "\(section).\($0)" } })

    private static let sections: [String: [String]] = [
        // Before the vote, and while one writes.
        "vote": [
            "noName", "inGroups", "atTheEnd", "unprotected", "teamReads", "leadsRead", "ownName", "saysWho",
            "otherName",
        ],
        // Beside the way to the vote and the value.
        "live": [
            "voteText", "voteUnprotected", "inGroups", "atOnce", "nobodySees", "tooFew", "smallTeam", "smallTeamOfOne",
            "firstResult", "resultAtEnd", "joined", "joinedOfOne",
        ],
        "history": ["nothingYetRule"],
        "sprint": [
            "distributionLive", "distributionLater", "distributionTooFew", "distributionAlike", "feedbackOrder",
            "leadsRead",
        ],
        "actions": ["notesHint", "quoteHint", "quoteLeadsHint"],
        // What leads choose from; the names of the choices, too, for two could change places.
        "teamSettings": [
            "whenItCounts", "thresholdHint", "live", "liveText", "close", "closeText", "immediate", "immediateText",
            "teamReads", "leadsRead", "readersHint", "thresholdInForce", "confirmRaise",
        ],
        "teamReminders": ["againHint"],
        "experiments": ["rule"],
        "members": ["makeLeadText", "removeText"],
        "share": ["text"],
        "teamMessages": ["listHint"],
        "manage": ["participationHint", "noResults"],
        // Whoever joins, is away, or goes.
        "invitation": ["text"],
        "register": ["nameRule"],
        "sessions": ["hint"],
        "absences": ["text"],
        "deletion": ["staysSums", "staysTexts", "staysReceipts"],
        // What administrators are told of their own reach.
        "adminPeople": ["roleHint", "deleteStays"],
        "adminTeams": ["hint"],
        "adminDeliveries": ["hint"],
        "clientErrors": ["hint", "countHint"],
        "status": ["steps"],
    ]
}
