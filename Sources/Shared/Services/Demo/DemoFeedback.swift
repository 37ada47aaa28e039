/// Feedback written by the demo team.
enum DemoFeedback {
    /// Up to three different texts for a season.
    /// - Parameter month: the month, 1...12, in which the sprint starts.
    static func texts(month: Int, random: inout DemoRandom) -> [String] {
        let season = (seasonal[month] ?? []).shuffled(using: &random).prefix(1)
        let everyday = Self.everyday.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random))
        return Array(season) + everyday
    }

    private static let seasonal: [Int: [String]] = [
        1: ["Nice to see everyone again after the holidays.", "A calm start into the year, it did us good."],
        2: ["Half the team had the flu. We should have planned for less.", "Grey weather, long tickets."],
        3: [
            "The retrospective helped, we finally talked about reviews.",
            "The new board makes it easier to see what’s next.",
        ],
        4: ["Lovely to have lunch outside again.", "Easter break came at just the right time."],
        5: ["Two short weeks and still everything done. Well done us!", "Pairing on the importer was fun."],
        6: ["The team outing was great, thank you for organising it.", "Good pace, friendly reviews, happy me."],
        7: ["Quiet weeks, and at last time to tidy up old code.", "The office is far too hot in the afternoon."],
        8: ["Holidays were wonderful. I am back with fresh ideas.", "Fewer people, fewer meetings, more done."],
        9: ["Good planning this time, no surprises.", "Too many new things started at once."],
        10: ["The workshop with support showed us a lot.", "I would like more time for learning."],
        11: [
            "The release was stressful. We need an earlier freeze.",
            "Long days lately. Let’s not make it a habit.",
        ],
        12: ["Thank you all for this year!", "The cookies in the kitchen saved the sprint."],
    ]

    private static let everyday = [
        "The daily is short now, please keep it that way.",
        "Tests are much faster since last week. Thanks to whoever did that!",
        "Too many meetings on Tuesday.",
        "I like how we help each other when something breaks.",
        "We were interrupted a lot by urgent requests.",
        "Clear goals, good mood.",
        "Our definition of done is not clear to me.",
        "Great teamwork on the customer demo.",
        "The test system was down for two days, that was annoying.",
        "I felt listened to.",
        "Code reviews take too long, my branches get old.",
        "Really proud of what we shipped.",
    ]
}
