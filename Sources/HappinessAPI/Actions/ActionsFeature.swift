import Hummingbird
import Ports
import Services

/// A team's actions: the board, the pages of single actions, and the API.
struct ActionsFeature: Feature {
    private let boardPages: ActionBoardPageController
    private let actionPages: ActionPageController
    private let actions: ActionController

    init(pages: PageServices, actions: ActionService, pictures: PictureLinks, clock: WallClock) {
        let forms: PageForms<ActionNotice> = pages.forms(for: .team)
        boardPages = ActionBoardPageController(forms: forms, actions: actions, pictures: pictures, clock: clock)
        actionPages = ActionPageController(forms: forms, actions: actions, pictures: pictures, clock: clock)
        self.actions = ActionController(actions: actions)
    }

    func addRoutes(to routes: RouteGroups) {
        let pages = routes.pages
        pages.get("/teams/{team}/actions", use: boardPages.show)
        pages.post("/teams/{team}/actions", use: actionPages.add)
        pages.get("/teams/{team}/actions/new", use: actionPages.ask)
        pages.post("/teams/{team}/actions/new", use: actionPages.askFromFeedback)
        pages.get("/teams/{team}/actions/{action}", use: actionPages.show)
        pages.post("/teams/{team}/actions/{action}", use: actionPages.change)
        pages.post("/teams/{team}/actions/{action}/move", use: boardPages.move)
        pages.post("/teams/{team}/actions/{action}/support", use: boardPages.support)
        pages.post("/teams/{team}/actions/{action}/delete", use: actionPages.delete)

        let api = routes.api
        api.get("/teams/{team}/actions", use: actions.list)
        api.post("/teams/{team}/actions", use: actions.add)
        api.get("/teams/{team}/actions/{action}", use: actions.show)
        api.patch("/teams/{team}/actions/{action}", use: actions.change)
        api.delete("/teams/{team}/actions/{action}", use: actions.delete)
        api.put("/teams/{team}/actions/{action}/support", use: actions.support)
        api.delete("/teams/{team}/actions/{action}/support", use: actions.withdraw)
    }
}
