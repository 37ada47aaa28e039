import Hummingbird
import Ports
import Services

/// A team's experiments: two wordings of a reminder, and how many voted after each.
struct ExperimentsFeature: Feature {
    private let pages: TeamExperimentPageController
    private let api: ExperimentController

    init(pages: PageServices, experiments: ExperimentService, clock: WallClock) {
        self.pages = TeamExperimentPageController(
            forms: pages.forms(for: .manager), experiments: experiments, clock: clock)
        api = ExperimentController(experiments: experiments)
    }

    func addRoutes(to routes: RouteGroups) {
        let manage = routes.pages.group("/teams/{team}/manage/experiments")
        manage.get(use: pages.list)
        manage.post(use: pages.add)
        manage.get("/{experiment}", use: pages.show)
        manage.post("/{experiment}/end", use: pages.end)
        routes.managerAPI.get("/teams/{team}/experiments", use: api.list)
        routes.managerAPI.post("/teams/{team}/experiments", use: api.add)
        routes.managerAPI.get("/teams/{team}/experiments/{experiment}", use: api.show)
        routes.managerAPI.delete("/teams/{team}/experiments/{experiment}", use: api.end)
    }
}
