//! Section `limits`: what clients share.

use std::ops::RangeInclusive;

use portcullis_yaml::{Diagnostics, Field, Key, Section, codes};

/// Section `limits`. OpenZiti has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientLimits {
    /// Connections, also bounded by the descriptors that the process may open.
    pub connections: Share,
    /// Bytes of requests whose head is not complete.
    pub request_head_bytes: Share,
    /// Bytes of answers that wait for clients to take them.
    pub unread_answer_bytes: Share,
    /// Bytes of requests of full sessions; the share is that of an identity.
    pub request_bytes: Share,
    /// Bytes of all other requests.
    pub unauthenticated_request_bytes: Share,
    /// Passwords of clients that have not logged in lately that may wait to be checked; unless it is
    /// given, it depends on the processors.
    pub passwords_waiting: Option<u64>,
    /// Lines of the log in a minute that tell of refused requests, and as many of failed ones.
    pub log_lines_per_minute: Share,
}

/// How much of something there is for all clients, and for one of them: an address, in IPv6 a
/// network of 64 bits, unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// For all.
    pub total: u64,
    /// For one.
    pub each: u64,
}

impl Default for ClientLimits {
    fn default() -> Self {
        let usual = |rule: &Rule| Share {
            total: rule.total,
            each: rule.usual_share(rule.total),
        };
        Self {
            connections: usual(&CONNECTIONS),
            request_head_bytes: usual(&REQUEST_HEADS),
            unread_answer_bytes: usual(&UNREAD_ANSWERS),
            request_bytes: usual(&REQUESTS),
            unauthenticated_request_bytes: usual(&UNAUTHENTICATED_REQUESTS),
            passwords_waiting: None,
            log_lines_per_minute: usual(&LOG_LINES),
        }
    }
}

/// Two keys that belong together, and what they may say.
struct Rule {
    total_key: &'static str,
    share_key: &'static str,
    /// The total unless it is given.
    total: u64,
    /// One client has this part of the total unless something else is given.
    fraction: u64,
    total_bounds: RangeInclusive<u64>,
    least_share: u64,
}

const MIB: u64 = 1024 * 1024;

const MOST_BYTES: u64 = 1024 * 1024 * MIB;

const CONNECTIONS: Rule = Rule {
    total_key: "connections",
    share_key: "connectionsPerPeer",
    total: 16 * 1024,
    fraction: 4,
    total_bounds: 16..=1024 * 1024,
    least_share: 4,
};

/// A share holds a dozen of the longest heads.
const REQUEST_HEADS: Rule = Rule {
    total_key: "requestHeadBytes",
    share_key: "requestHeadBytesPerPeer",
    total: 32 * MIB,
    fraction: 4,
    total_bounds: 4 * MIB..=MOST_BYTES,
    least_share: MIB,
};

/// A share holds the longest answer that is written whole, and some beside it.
const UNREAD_ANSWERS: Rule = Rule {
    total_key: "unreadAnswerBytes",
    share_key: "unreadAnswerBytesPerPeer",
    total: 128 * MIB,
    fraction: 4,
    total_bounds: 16 * MIB..=MOST_BYTES,
    least_share: 4 * MIB,
};

/// A share holds the longest body, with the longest head.
const REQUESTS: Rule = Rule {
    total_key: "requestBytes",
    share_key: "requestBytesPerIdentity",
    total: 128 * MIB,
    fraction: 32,
    total_bounds: 8 * MIB..=MOST_BYTES,
    least_share: 2 * MIB,
};

/// As [`REQUESTS`]; without a full session bodies are shorter, but for those of partial ones.
const UNAUTHENTICATED_REQUESTS: Rule = Rule {
    total_key: "unauthenticatedRequestBytes",
    share_key: "unauthenticatedRequestBytesPerPeer",
    total: 32 * MIB,
    fraction: 32,
    total_bounds: 8 * MIB..=MOST_BYTES,
    least_share: MIB,
};

/// At once there are a few more.
const LOG_LINES: Rule = Rule {
    total_key: "logLinesPerMinute",
    share_key: "logLinesPerMinutePerPeer",
    total: 60,
    fraction: 10,
    total_bounds: 6..=60_000,
    least_share: 1,
};

/// One client has half of them.
const PASSWORDS_WAITING: RangeInclusive<u64> = 2..=65_536;

const KEYS: &[Key] = &[
    Key::read("connections"),
    Key::read("connectionsPerPeer"),
    Key::read("requestHeadBytes"),
    Key::read("requestHeadBytesPerPeer"),
    Key::read("unreadAnswerBytes"),
    Key::read("unreadAnswerBytesPerPeer"),
    Key::read("requestBytes"),
    Key::read("requestBytesPerIdentity"),
    Key::read("unauthenticatedRequestBytes"),
    Key::read("unauthenticatedRequestBytesPerPeer"),
    Key::read("passwordsWaiting"),
    Key::read("logLinesPerMinute"),
    Key::read("logLinesPerMinutePerPeer"),
];

pub(crate) fn read(root: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<ClientLimits> {
    let Some(field) = root.get_non_null("limits") else {
        return Some(ClientLimits::default());
    };
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let connections = CONNECTIONS.read(&section, diagnostics);
    let request_heads = REQUEST_HEADS.read(&section, diagnostics);
    let unread_answers = UNREAD_ANSWERS.read(&section, diagnostics);
    let requests = REQUESTS.read(&section, diagnostics);
    let unauthenticated = UNAUTHENTICATED_REQUESTS.read(&section, diagnostics);
    let passwords_waiting = match section.get_non_null("passwordsWaiting") {
        Some(field) => field.integer(PASSWORDS_WAITING, diagnostics).map(Some),
        None => Some(None),
    };
    let log_lines = LOG_LINES.read(&section, diagnostics);
    Some(ClientLimits {
        connections: connections?,
        request_head_bytes: request_heads?,
        unread_answer_bytes: unread_answers?,
        request_bytes: requests?,
        unauthenticated_request_bytes: unauthenticated?,
        passwords_waiting: passwords_waiting?,
        log_lines_per_minute: log_lines?,
    })
}

impl Rule {
    fn usual_share(&self, total: u64) -> u64 {
        (total / self.fraction).max(self.least_share)
    }

    fn read(&self, section: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<Share> {
        let total = match section.get_non_null(self.total_key) {
            Some(field) => field.integer(self.total_bounds.clone(), diagnostics)?,
            None => self.total,
        };
        let each = match section.get_non_null(self.share_key) {
            Some(field) => self.read_share(&field, total, diagnostics)?,
            None => self.usual_share(total),
        };
        Some(Share { total, each })
    }

    fn read_share(
        &self,
        field: &Field<'_>,
        total: u64,
        diagnostics: &mut Diagnostics,
    ) -> Option<u64> {
        let each = field.integer(self.least_share..=*self.total_bounds.end(), diagnostics)?;
        if each <= total {
            return Some(each);
        }
        let (path, total_key) = (field.path(), self.total_key);
        let message = format!("`{path}` is more than the {total} of `limits.{total_key}`");
        field
            .error(codes::OUT_OF_RANGE, message, diagnostics)
            .help(format!("write {total} or less, or raise `{total_key}`"));
        None
    }
}
