import ArgumentParser
import Foundation
import HappinessClient

/// `happiness verify [SPRINT]`
struct VerifyCommand: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check the count of a sprint that is over.",
        discussion: """
            Every vote left a commitment, a code that hides its value. The command adds up the commitments of all votes \
            and compares them with the result. If you voted with this device, it looks for your own vote among them. \
            It gets the list without your log-in, and prints a code of the whole list: compare it with your \
            colleagues, because a server could show each of you a list of your own.
            """)

    @Argument(help: "Label of the sprint, such as 2026/23; by default the latest one counted here with a final result.")
    var sprint: String?
    @OptionGroup
    var place: TeamOption

    func run(as member: LoggedInMember) async throws {
        let team = try await place.team(of: member)
        let over = try await member.session.sprints(of: team.id).filter { $0.state == .closed }
        guard
            let checked = over.last(where: {
                sprint == nil ? $0.publication != nil && $0.imported != true : $0.label == sprint
            }),
            let publication = checked.publication
        else {
            throw Rejection(
                sprint.map { "Sprint \($0) isn’t over, or has no result." } ?? "No sprint has a final result yet.")
        }
        guard checked.imported != true else {
            throw Rejection("Sprint \(checked.label) was imported: another tool counted it.")
        }
        let count = try await member.session.count(of: checked.label, in: team.id)
        guard count.isRight, count.votes == publication.votes,
            abs(Double(count.sum) / Double(10 * count.votes) - publication.happiness) < 1e-9
        else {
            throw Rejection(
                """
                The count of sprint \(checked.label) is wrong: the commitments don’t add up to the result. Tell your team.
                """)
        }
        Console.print(
            "Sprint \(checked.label) of \(team.name): the commitments of all \(count.votes) votes add up to the result."
        )
        let name = DeviceState.SeenKey.name(of: checked.label, in: team.id, at: member.session.server)
        let first = await member.device.state.firstKey(name)
        guard first == nil || first == count.key?.id else {
            throw Rejection(
                "The ballot papers belong to another key than the one this device saw first. Tell your team.")
        }
        if let papers = count.papers, papers.issued > 0 || papers.counted > 0 { try show(papers, of: count) }
        try await show(count, to: member)
        Console.print(
            """
            Code of the whole list:
            \(count.code)
            Compare this code with your colleagues. If you all see the same one, you all see the same list.
            """)
    }

    private func show(_ papers: SprintCount.Papers, of count: SprintCount) throws {
        guard papers.isRight else {
            throw Rejection("There are more sealed votes than ballot papers. Tell your team.")
        }
        guard count.hasValidSignatures else {
            throw Rejection("Some ballot papers have no valid signature: votes may be invented. Tell your team.")
        }
        Console.print(
            "\(papers.issued) ballot papers were given out, and \(papers.counted) sealed votes were counted. "
                + "\(count.members) people could vote.")
        if papers.unsigned > 0 {
            Console.print(
                "The signatures of \(papers.unsigned) of these ballot papers can’t be checked: the votes were cast "
                    + "before an update, and the server didn’t keep signatures then.")
        }
    }

    private func show(_ count: SprintCount, to member: LoggedInMember) async throws {
        let own = await member.device.state.commitment(of: member.account, in: count.sprint, of: count.team)
        guard let own else {
            Console.print("You didn’t vote with this device in this sprint, so it can’t look for your vote.")
            return
        }
        let hasPaper = own.spent.flatMap { count.contains(spentPaper: $0) } ?? true
        guard count.contains(own.bytes), hasPaper else {
            throw Rejection("Your vote isn’t among them, or not as you cast it. Tell your team.")
        }
        Console.print("Your vote is among them, exactly as you cast it on this device.")
    }
}
