import CCurl
import Domain
import Foundation
import Ports
import Synchronization

/// Result of a transfer.
enum SMTPOutcome: Sendable {
    /// The server has accepted responsibility for the mail.
    case sent
    /// Cancelled by `SMTPTransfer.cancel`.
    case cancelled
    /// The transfer failed for any other reason.
    case failed(MailError)
}

/// One mail being sent, or one check of the server: a libcurl handle that exists only in `perform`.
final class SMTPTransfer: Sendable {
    private let bytes: [UInt8]
    private let sender: String
    private let recipient: String
    /// Whether to log in only, without a mail.
    private let isCheck: Bool
    private let settings: SMTPSettings
    private let milliseconds: Int
    private let isCancelled = Atomic(false)

    /// Global initialization of libcurl, once per process (libcurl-thread(3)).
    private static let isReady = ccurl_global_init() == CURLE_OK

    init(_ message: MailMessage, settings: SMTPSettings, deadline: Duration) {
        bytes = MIMEMessage(message).bytes
        sender = message.from.email.text
        recipient = message.to.email.text
        isCheck = false
        self.settings = settings
        milliseconds = Self.milliseconds(deadline)
    }

    /// Connects, encrypts and logs in as for a mail, then sends NOOP and QUIT.
    init(checking settings: SMTPSettings, deadline: Duration) {
        bytes = []
        sender = ""
        recipient = ""
        isCheck = true
        self.settings = settings
        milliseconds = Self.milliseconds(deadline)
    }

    private static func milliseconds(_ deadline: Duration) -> Int {
        let (seconds, attoseconds) = deadline.components
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }

    /// Ends `perform` within about a second. A mail whose last byte was sent may still arrive.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Sends the mail. Blocks the thread until it has ended.
    func perform() -> SMTPOutcome {
        // curl may call back until `curl_easy_cleanup` has returned, always on this thread, so the source must outlive
        // the handle.
        let source = MailSource(bytes: bytes, transfer: self, end: .now + .milliseconds(milliseconds))
        return withExtendedLifetime(source) { perform(source) }
    }

    private func perform(_ source: MailSource) -> SMTPOutcome {
        guard Self.isReady, let handle = unsafe curl_easy_init() else {
            return .failed(.unavailable("libcurl does not start"))
        }
        defer { unsafe curl_easy_cleanup(handle) }
        let recipients = unsafe curl_slist_append(nil, recipient)
        defer { unsafe curl_slist_free_all(recipients) }
        guard unsafe recipients != nil, unsafe configure(handle), unsafe configureTLS(handle),
            unsafe ccurl_set_recipients(handle, isCheck ? nil : recipients) == CURLE_OK
        else {
            return .failed(.misconfigured("libcurl refuses the settings"))
        }
        let context = unsafe Unmanaged.passUnretained(source).toOpaque()
        guard unsafe ccurl_set_reader(handle, readMail, context) == CURLE_OK,
            unsafe ccurl_set_reply_reader(handle, readReply, context) == CURLE_OK,
            unsafe ccurl_set_progress(handle, watchMail, context) == CURLE_OK
        else {
            return .failed(.unavailable("libcurl does not start"))
        }
        let code = unsafe curl_easy_perform(handle)
        return outcome(
            code, reply: unsafe ccurl_response_code(handle), status: source.status, hasBegunMail: source.position > 0)
    }

    /// The server, and in the path our name in EHLO, as curl takes it (CURLOPT_URL(3)).
    private var url: String {
        let name = settings.clientName.replacing("[", with: "%5B").replacing("]", with: "%5D")
        return (settings.url.hasSuffix("/") ? String(settings.url.dropLast()) : settings.url) + "/" + name
    }

    fileprivate var mustEnd: Bool { isCancelled.load(ordering: .relaxed) }

    private func configure(_ handle: UnsafeMutableRawPointer) -> Bool {
        var texts: [(CURLoption, String)] = [
            (CURLOPT_URL, url), (CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            isCheck ? (CURLOPT_CUSTOMREQUEST, "NOOP") : (CURLOPT_MAIL_FROM, "<\(sender)>"),
        ]
        if let username = settings.username, let password = settings.password {
            texts += [(CURLOPT_USERNAME, username), (CURLOPT_PASSWORD, password.value)]
        }
        let numbers: [(CURLoption, Int)] = [
            (isCheck ? CURLOPT_NOBODY : CURLOPT_UPLOAD, 1),
            // Closes the connection while our callbacks still watch it.
            (CURLOPT_FORBID_REUSE, 1),
            (CURLOPT_TIMEOUT_MS, milliseconds),
            (CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 10_000)),
            // Signals belong to the process, not to a thread.
            (CURLOPT_NOSIGNAL, 1),
        ]
        guard unsafe ccurl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(bytes.count)) == CURLE_OK,
            unsafe ccurl_discard_output(handle) == CURLE_OK
        else { return false }
        return texts.allSatisfy { unsafe ccurl_set_text(handle, $0, $1) == CURLE_OK }
            && numbers.allSatisfy { unsafe ccurl_set_long(handle, $0, $1) == CURLE_OK }
    }

    /// Certificate and host name are verified by default; `smtps://` is always encrypted from the first byte.
    private func configureTLS(_ handle: UnsafeMutableRawPointer) -> Bool {
        let level = settings.tls == .required ? CURLUSESSL_ALL : CURLUSESSL_NONE
        guard unsafe ccurl_set_long(handle, CURLOPT_USE_SSL, Int(level.rawValue)) == CURLE_OK,
            // TLS 1.0 and 1.1 must not be used any more (RFC 8996).
            unsafe ccurl_set_long(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)) == CURLE_OK
        else { return false }
        guard let file = settings.caFile else { return true }
        return unsafe ccurl_set_text(handle, CURLOPT_CAINFO, file) == CURLE_OK
    }

    /// - Parameters:
    ///   - reply: the server's last reply code. 4xx is a temporary failure, 5xx a permanent one (RFC 5321 §4.2.1).
    ///   - status: the enhanced code of the last 5xx reply (RFC 3463); empty if it had none.
    ///   - hasBegunMail: whether the server has accepted envelope and `DATA`.
    private func outcome(_ code: CURLcode, reply: Int, status: String, hasBegunMail: Bool) -> SMTPOutcome {
        switch code {
        case CURLE_OK: return .sent
        case CURLE_ABORTED_BY_CALLBACK where mustEnd: return .cancelled
        case CURLE_OPERATION_TIMEDOUT, CURLE_ABORTED_BY_CALLBACK:
            return .failed(.unavailable("the mail server does not answer in time"))
        // Either an attacker on the network, or a certificate that will be renewed: retried, never weakened.
        case CURLE_USE_SSL_FAILED: return .failed(.misconfigured("the mail server does not encrypt (STARTTLS)"))
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR:
            return .failed(.misconfigured("the mail server's certificate is not trusted, or TLS fails"))
        case CURLE_SSL_CACERT_BADFILE: return .failed(.misconfigured("SMTP_CA_FILE cannot be read"))
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT:
            return .failed(.unavailable("the mail server cannot be reached"))
        case CURLE_LOGIN_DENIED where !(400...499).contains(reply):
            return .failed(.misconfigured("the mail server refused the log-in (\(reply))"))
        case _ where Self.concernsEveryMail(code, reply: reply, hasBegunMail: hasBegunMail):
            return .failed(.misconfigured("the mail server refuses every mail from here (\(reply))"))
        case _ where (500...599).contains(reply) && !hasBegunMail && Self.recipientFaults.contains(status):
            return .failed(.undeliverable("the mail server does not take mails to the recipient (\(reply))"))
        case _ where (500...599).contains(reply):
            return .failed(.rejected("the mail server refused the mail (\(reply))"))
        // 432 is Exchange Online's reply to a fourth connection; others say 421.
        case _ where [421, 432].contains(reply) && !hasBegunMail:
            return .failed(.busy("the mail server asks for fewer connections (\(reply))"))
        case _ where (400...499).contains(reply):
            return .failed(.unavailable("the mail server asks to come back later (\(reply))"))
        default: return .failed(.unavailable("the connection to the mail server was lost (curl \(code.rawValue))"))
        }
    }

    /// The enhanced codes that are about the recipient's address: no such mailbox, no such domain, bad syntax, moved,
    /// disabled (RFC 3463 §3.2, §3.3), a domain that takes no mail (RFC 7505 §4.2).
    ///
    /// The reply code alone does not tell: libcurl reports a rejected sender like a rejected recipient, and servers
    /// answer RCPT with 550 and 554 to clients that may not relay or are on a blocklist (5.7.1).
    private static let recipientFaults: Set<String> = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"]

    /// Whether the server rejected us and not the mail: at its greeting or EHLO, or with a reply about EHLO's name (504,
    /// which Postfix sends after RCPT) or about the login (530, 534, 535, 538; RFC 4954 §6).
    private static func concernsEveryMail(_ code: CURLcode, reply: Int, hasBegunMail: Bool) -> Bool {
        guard (500...599).contains(reply), !hasBegunMail else { return false }
        return code == CURLE_WEIRD_SERVER_REPLY || code == CURLE_REMOTE_ACCESS_DENIED
            || [504, 530, 534, 535, 538].contains(reply)
    }
}

/// State for curl's callbacks: the bytes and the read position.
///
/// Not sendable: only used on the thread of `perform`.
private final class MailSource {
    let bytes: [UInt8]
    let transfer: SMTPTransfer
    /// curl's own time-out is not enforced while it sends QUIT to a server that hangs; that took two minutes.
    let end: ContinuousClock.Instant
    var position = 0
    /// The enhanced code of the last 5xx reply; empty if it had none.
    var status = ""

    var mustEnd: Bool { transfer.mustEnd || .now > end }

    init(bytes: [UInt8], transfer: SMTPTransfer, end: ContinuousClock.Instant) {
        self.end = end
        self.bytes = bytes
        self.transfer = transfer
    }
}

/// Fills curl's buffer; returns 0 at the end.
private func readMail(
    buffer: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer = unsafe buffer, let context = unsafe context else { return 0 }
    let source = unsafe Unmanaged<MailSource>.fromOpaque(context).takeUnretainedValue()
    let length = min(size * count, source.bytes.count - source.position)
    let slice = source.bytes[source.position..<source.position + length]
    unsafe UnsafeMutableRawBufferPointer(start: buffer, count: length).copyBytes(from: slice)
    source.position += length
    return length
}

/// Keeps the enhanced code of a 5xx reply. The reply to QUIT comes after it and is a 2xx.
private func readReply(
    buffer: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer = unsafe buffer, let context = unsafe context else { return size * count }
    let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: size * count)
    let line = unsafe String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("5") {
        let match = line.prefixMatch(of: /5[0-9]{2}[ \-](5\.[0-9]{1,3}\.[0-9]{1,3})(?:[^0-9.]|$)/)
        let source = unsafe Unmanaged<MailSource>.fromOpaque(context).takeUnretainedValue()
        source.status = match.map { String($0.1) } ?? ""
    }
    return size * count
}

/// curl calls this to ask whether to continue.
private func watchMail(
    context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    return unsafe Unmanaged<MailSource>.fromOpaque(context).takeUnretainedValue().mustEnd ? 1 : 0
}
