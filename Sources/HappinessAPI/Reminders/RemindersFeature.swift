import Domain
import Hummingbird
import Ports
import Services

/// When and how members are asked to vote: a team's reminders and messages, and each member's devices, absences and
/// notifications, with the links that end mails.
struct RemindersFeature: Feature {
    private let reminderPages: TeamReminderPageController
    private let messagePages: TeamMessagePageController
    private let notificationPages: NotificationSettingsPageController
    private let unsubscribePages: UnsubscribePageController
    private let adminPages: AdminDeliveryPageController
    private let reminders: ReminderController
    private let deliveries: DeliveryController
    private let absences: AbsenceController
    private let devices: DeviceController
    private let webPush: WebPushController
    private let classicDevices: ClassicDeviceController
    private let calendars: CalendarController

    /// - Parameters:
    ///   - webPushKey: `nil` if this installation does not send Web Push.
    ///   - webPushPolicy: which push services browsers may name.
    init(
        pages: PageServices, accounts: AccountService, teams: TeamService, reminders: ReminderService,
        deliveries: DeliveryService, devices: DeviceService, absences: AbsenceService, calendars: CalendarService,
        unsubscribing: UnsubscribeService, classicTeams: ClassicTeams, webPushKey: VAPIDKey?,
        webPushPolicy: WebPushPolicy, answers: AnswerLanguage, publicURL: String, clock: WallClock
    ) {
        let forms: ManageForms = pages.forms(for: .manager)
        reminderPages = TeamReminderPageController(
            forms: forms, reminders: reminders, deliveries: deliveries, clock: clock)
        messagePages = TeamMessagePageController(forms: forms, deliveries: deliveries)
        self.calendars = CalendarController(
            calendars: calendars, pages: pages.renderer, clock: clock, publicURL: publicURL)
        notificationPages = NotificationSettingsPageController(
            forms: pages.forms(for: .member), accounts: accounts, absences: absences, calendars: self.calendars,
            sendsToBrowsers: pages.viewers.sendsToBrowsers)
        unsubscribePages = UnsubscribePageController(pages: pages.renderer, unsubscribing: unsubscribing)
        adminPages = AdminDeliveryPageController(forms: pages.forms(for: .admin), deliveries: deliveries, teams: teams)
        self.reminders = ReminderController(reminders: reminders, catalog: pages.renderer.texts)
        self.deliveries = DeliveryController(deliveries: deliveries)
        self.absences = AbsenceController(absences: absences)
        self.devices = DeviceController(devices: devices, webPushPolicy: webPushPolicy)
        webPush = WebPushController(key: webPushKey)
        classicDevices = ClassicDeviceController(devices: devices, teams: classicTeams, answers: answers)
    }

    func addRoutes(to routes: RouteGroups) {
        addPages(to: routes.pages)
        routes.open.get("/unsubscribe", use: unsubscribePages.form)
        routes.open.post("/unsubscribe", use: unsubscribePages.unsubscribe)
        routes.open.get("/calendar", use: calendars.show)
        let api = routes.api
        api.get("/me/absences", use: absences.list)
        api.put("/me/absences", use: absences.replace)
        api.put("/me/calendar-link", use: calendars.share)
        api.delete("/me/calendar-link", use: calendars.unshare)
        api.get("/me/devices", use: devices.list)
        api.post("/me/devices", use: devices.register)
        api.delete("/me/devices/{device}", use: devices.remove)
        api.get("/teams/{team}/reminders", use: reminders.show)
        routes.managerAPI.put("/teams/{team}/reminders", use: reminders.update)
        routes.managerAPI.post("/teams/{team}/reminders/preview", use: reminders.preview)
        routes.managerAPI.post("/teams/{team}/reminders/test", use: deliveries.testReminder)
        routes.managerAPI.post("/teams/{team}/messages", use: deliveries.sendMessage)
        routes.managerAPI.get("/teams/{team}/deliveries", use: deliveries.list)
        routes.administratorAPI.get("/deliveries", use: deliveries.listAll)
        routes.openAPI.get("/push/web-key", use: webPush.show)
        routes.classic.post("/user/registerDevice", use: classicDevices.register)
    }

    private func addPages(to pages: RouteGroups.Group) {
        let manage = pages.group("/teams/{team}/manage")
        manage.get("/reminders", use: reminderPages.show)
        manage.post("/reminders", use: reminderPages.change)
        manage.post("/reminders/preview", use: reminderPages.preview)
        manage.post("/reminders/test", use: reminderPages.test)
        manage.post("/reminders/days", use: reminderPages.addDays)
        manage.post("/reminders/days/remove", use: reminderPages.removeDays)
        manage.get("/messages", use: messagePages.show)
        manage.post("/messages", use: messagePages.send)
        pages.get("/settings/notifications", use: notificationPages.show)
        pages.post("/settings/notifications", use: notificationPages.change)
        pages.post("/settings/absences", use: notificationPages.addAbsence)
        pages.post("/settings/absences/remove", use: notificationPages.removeAbsence)
        pages.post("/settings/calendar", use: notificationPages.shareCalendar)
        pages.post("/settings/calendar/end", use: notificationPages.unshareCalendar)
        pages.get("/admin/deliveries", use: adminPages.show)
    }
}
