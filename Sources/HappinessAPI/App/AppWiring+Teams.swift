import Domain
import Ports
import Services
import Storage

/// Voting, results, and everything else that a team does.
extension AppWiring {
    func voting() -> VotingFeature {
        VotingFeature(
            pages: pages, browsers: users.browsers, teams: teams.teams, sprints: teams.sprints,
            liveSprints: teams.liveSprints, publications: teams.publications, ballots: teams.ballots,
            ballotKeys: teams.ballotKeys, absences: teams.absences, actions: teams.actions,
            authenticator: users.logins.authenticator, classicTeams: classicTeams, answers: answers, clock: clock)
    }

    func results(feed: PublicationFeed) -> ResultsFeature {
        ResultsFeature(
            pages: pages, accounts: users.accounts, teams: teams.teams, sprints: teams.sprints,
            publications: teams.publications, liveSprints: teams.liveSprints, histories: teams.histories,
            marks: teams.marks, actions: teams.actions, ballots: teams.ballots, firstSteps: teams.firstSteps,
            teamRequests: TeamRequestService(stores: stores, clock: clock), feed: feed,
            memberships: users.memberships, authenticator: users.logins.authenticator,
            feedbackDays: settings.feedbackDays, clock: clock)
    }

    func reminders() -> RemindersFeature {
        let webPush = settings.push.webPush
        return RemindersFeature(
            pages: pages, accounts: users.accounts, teams: teams.teams, reminders: teams.reminders,
            deliveries: DeliveryService(stores: stores, sprints: teams.sprints, secret: secrets.ballot, clock: clock),
            devices: DeviceService(stores: stores, clock: clock), absences: teams.absences,
            calendars: CalendarService(stores: stores, sprints: teams.sprints, clock: clock),
            unsubscribing: UnsubscribeService(store: stores.rows, secret: secrets.jwt), classicTeams: classicTeams,
            webPushKey: webPush == nil ? nil : secrets.vapid, webPushPolicy: webPush?.policy ?? .standard,
            answers: answers, publicURL: publicURL, clock: clock)
    }

    func experiments() -> ExperimentsFeature {
        ExperimentsFeature(pages: pages, experiments: ExperimentService(stores: stores, clock: clock), clock: clock)
    }

    func teamManagement() -> TeamsFeature {
        TeamsFeature(
            pages: pages, teams: teams.teams, sprints: teams.sprints, invitations: users.invitations,
            reminders: teams.reminders, histories: teams.histories, marks: teams.marks,
            pictures: users.pictureLinks, publicURL: publicURL)
    }

    func actions() -> ActionsFeature {
        ActionsFeature(pages: pages, actions: teams.actions, pictures: users.pictureLinks, clock: clock)
    }

    func search() -> SearchFeature {
        SearchFeature(
            pages: pages,
            search: SearchService(
                stores: stores, teams: teams.teams, actions: teams.actions, publications: teams.publications))
    }
}
