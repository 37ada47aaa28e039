/// What a device calls itself, in words its owner knows it by: `Firefox · Windows`.
///
/// Browsers say who they are in a text that is made of other browsers' names (RFC 9110 §10.1.5), so the order of the
/// tables counts: Edge says that it is Chrome, Chrome that it is Safari, Android that it is Linux.
struct DeviceName: Sendable {
    let text: String

    /// - Parameter userAgent: `Session.device`; apps have a name of their own there, which stays as it is.
    init(userAgent: String) {
        let browser = Self.browsers.first { userAgent.contains($0.mark) }?.name
        let system = Self.systems.first { userAgent.contains($0.mark) }?.name
        guard userAgent.hasPrefix("Mozilla/"), let browser else {
            text = userAgent
            return
        }
        text = [browser, system].compactMap { $0 }.joined(separator: " · ")
    }

    private typealias Mark = (mark: String, name: String)

    private static let browsers: [Mark] = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems: [Mark] = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS X", "Mac"),
        ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]
}
