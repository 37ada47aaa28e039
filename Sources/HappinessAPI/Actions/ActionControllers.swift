import Hummingbird

/// A team's actions: the pages with their forms, and the API.
struct ActionControllers: Sendable {
    let board: ActionBoardPages
    let editing: ActionPages
    let api: ActionController

    /// - Parameter member: lets pass a browser that is logged in.
    func addRoutes(to member: RouterGroup<AppRequestContext>) {
        member.get("/teams/{team}/actions", use: board.show)
        member.post("/teams/{team}/actions", use: editing.add)
        member.get("/teams/{team}/actions/new", use: editing.ask)
        member.post("/teams/{team}/actions/new", use: editing.askFromFeedback)
        member.get("/teams/{team}/actions/{action}", use: editing.show)
        member.post("/teams/{team}/actions/{action}", use: editing.change)
        member.post("/teams/{team}/actions/{action}/move", use: board.move)
        member.post("/teams/{team}/actions/{action}/delete", use: editing.delete)
    }

    /// - Parameter member: lets pass a caller of `/api/v1` who is logged in.
    func addAPIRoutes(to member: RouterGroup<AppRequestContext>) {
        member.get("/teams/{team}/actions", use: api.list)
        member.post("/teams/{team}/actions", use: api.add)
        member.get("/teams/{team}/actions/{action}", use: api.show)
        member.patch("/teams/{team}/actions/{action}", use: api.change)
        member.delete("/teams/{team}/actions/{action}", use: api.delete)
    }
}
