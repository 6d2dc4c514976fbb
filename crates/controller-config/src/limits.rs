//! Section `limits`: resources shared by clients.

use std::ops::RangeInclusive;

use portcullis_key_table::Unit;
use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::keys::{Key, KeyGroup, ValueType};

/// Section `limits`. OpenZiti has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientLimits {
    /// Connections of clients, also limited by the file descriptors of the process.
    pub connections: ClientLimit,
    /// Connections of routers, also limited by the file descriptors of the process.
    pub router_connections: u64,
    /// Bytes of incomplete request heads.
    pub request_head_bytes: ClientLimit,
    /// Bytes of responses that clients have not read yet.
    pub unread_answer_bytes: ClientLimit,
    /// Bytes of requests of full sessions, limited per identity.
    pub request_bytes: ClientLimit,
    /// Bytes of all other requests.
    pub unauthenticated_request_bytes: ClientLimit,
    /// Passwords waiting to be checked, of clients that have not logged in recently; the default depends
    /// on the number of processors.
    pub passwords_waiting: Option<u64>,
    /// Log lines per minute about refused requests, and as many about failed ones.
    pub log_lines_per_minute: ClientLimit,
}

/// Limit for all clients together and for a single one. A client is an IPv4 address or an IPv6 network
/// of 64 bits, unless noted otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientLimit {
    pub total: u64,
    pub per_client: u64,
}

impl Default for ClientLimits {
    fn default() -> Self {
        let default_limit = |rule: &LimitRule| ClientLimit {
            total: rule.total,
            per_client: rule.default_per_client(rule.total),
        };
        Self {
            connections: default_limit(&CONNECTIONS),
            router_connections: DEFAULT_ROUTER_CONNECTIONS,
            request_head_bytes: default_limit(&REQUEST_HEADS),
            unread_answer_bytes: default_limit(&UNREAD_ANSWERS),
            request_bytes: default_limit(&REQUESTS),
            unauthenticated_request_bytes: default_limit(&UNAUTHENTICATED_REQUESTS),
            passwords_waiting: None,
            log_lines_per_minute: default_limit(&LOG_LINES),
        }
    }
}

/// The two keys of a limit, with defaults and bounds.
struct LimitRule {
    total_key: &'static str,
    per_client_key: &'static str,
    /// Default of the total.
    total: u64,
    /// By default, one client gets this fraction of the total.
    fraction: u64,
    total_bounds: RangeInclusive<u64>,
    min_per_client: u64,
}

const MIB: u64 = 1024 * 1024;

const MAX_BYTES: u64 = 1024 * 1024 * MIB;

const CONNECTIONS: LimitRule = LimitRule {
    total_key: "connections",
    per_client_key: "connectionsPerPeer",
    total: 16 * 1024,
    fraction: 4,
    total_bounds: 16..=1024 * 1024,
    min_per_client: 4,
};

/// The minimum for one client holds a dozen of the longest heads.
const REQUEST_HEADS: LimitRule = LimitRule {
    total_key: "requestHeadBytes",
    per_client_key: "requestHeadBytesPerPeer",
    total: 32 * MIB,
    fraction: 4,
    total_bounds: 4 * MIB..=MAX_BYTES,
    min_per_client: MIB,
};

/// The minimum for one client holds the longest response that is written at once, and some more.
const UNREAD_ANSWERS: LimitRule = LimitRule {
    total_key: "unreadAnswerBytes",
    per_client_key: "unreadAnswerBytesPerPeer",
    total: 128 * MIB,
    fraction: 4,
    total_bounds: 16 * MIB..=MAX_BYTES,
    min_per_client: 4 * MIB,
};

/// The minimum for one client holds the longest body with the longest head.
const REQUESTS: LimitRule = LimitRule {
    total_key: "requestBytes",
    per_client_key: "requestBytesPerIdentity",
    total: 128 * MIB,
    fraction: 32,
    total_bounds: 8 * MIB..=MAX_BYTES,
    min_per_client: 2 * MIB,
};

/// As [`REQUESTS`]; without a full session bodies are shorter, except in partial sessions.
const UNAUTHENTICATED_REQUESTS: LimitRule = LimitRule {
    total_key: "unauthenticatedRequestBytes",
    per_client_key: "unauthenticatedRequestBytesPerPeer",
    total: 32 * MIB,
    fraction: 32,
    total_bounds: 8 * MIB..=MAX_BYTES,
    min_per_client: MIB,
};

/// Bursts may be slightly larger.
const LOG_LINES: LimitRule = LimitRule {
    total_key: "logLinesPerMinute",
    per_client_key: "logLinesPerMinutePerPeer",
    total: 60,
    fraction: 10,
    total_bounds: 6..=60_000,
    min_per_client: 1,
};

const ROUTER_CONNECTIONS: RangeInclusive<u64> = 16..=1024 * 1024;
const DEFAULT_ROUTER_CONNECTIONS: u64 = 4096;

/// Range of the total; one client gets half of it.
const PASSWORDS_WAITING: RangeInclusive<u64> = 2..=65_536;

pub(crate) const KEYS: KeyGroup = &[
    CONNECTIONS
        .total_row(Unit::Count, "Open connections of clients. The one that was idle for longest is closed.")
        .default("16384")
        .example("32768"),
    CONNECTIONS
        .per_client_row(Unit::Count, "Open connections of one address; a quarter of `connections` by default.")
        .default("4096")
        .example("1024"),
    limit(
        "routerConnections",
        (*ROUTER_CONNECTIONS.start(), *ROUTER_CONNECTIONS.end()),
        Unit::Count,
        "Open connections of routers, of which each usually has two. A further one is refused.",
    )
    .default("4096")
    .example("16384"),
    REQUEST_HEADS
        .total_row(Unit::Bytes, "Requests whose head is not complete. The connection that has had one for longest is closed.")
        .default("33554432")
        .example("67108864"),
    REQUEST_HEADS
        .per_client_row(Unit::Bytes, "Those from one address; a quarter of `requestHeadBytes` by default.")
        .default("8388608")
        .example("16777216"),
    UNREAD_ANSWERS
        .total_row(Unit::Bytes, "Answers that wait for clients to take them. The connection with most of them is closed.")
        .default("134217728")
        .example("268435456"),
    UNREAD_ANSWERS
        .per_client_row(Unit::Bytes, "Those for one address; a quarter of `unreadAnswerBytes` by default.")
        .default("33554432")
        .example("67108864"),
    REQUESTS
        .total_row(Unit::Bytes, "Requests of full sessions. The largest that is still arriving is refused.")
        .default("134217728")
        .example("268435456"),
    REQUESTS
        .per_client_row(Unit::Bytes, "Those of one identity; a 32nd of `requestBytes` by default.")
        .default("4194304")
        .example("8388608"),
    UNAUTHENTICATED_REQUESTS
        .total_row(Unit::Bytes, "All other requests: logins, enrollments, and sessions with an open second factor.")
        .default("33554432")
        .example("67108864"),
    UNAUTHENTICATED_REQUESTS
        .per_client_row(Unit::Bytes, "Those from one address; a 32nd of `unauthenticatedRequestBytes` by default.")
        .default("1048576")
        .example("2097152"),
    limit(
        "passwordsWaiting",
        (*PASSWORDS_WAITING.start(), *PASSWORDS_WAITING.end()),
        Unit::Count,
        "Passwords that wait to be checked, of addresses that have not logged in lately; one address has half \
         of them. 64 for each processor by default.",
    )
    .example("256"),
    LOG_LINES
        .total_row(Unit::Count, "Lines of the log about refused requests, and as many about failed ones. Others are summed up.")
        .default("60")
        .example("120"),
    LOG_LINES
        .per_client_row(Unit::Count, "Those that one address causes; a tenth of `logLinesPerMinute` by default.")
        .default("6")
        .example("12"),
];

/// A key with a limit; bounds are small enough for an `i64`.
const fn limit(name: &'static str, (min, max): (u64, u64), unit: Unit, doc: &'static str) -> Key {
    let (min, max) = (min.cast_signed(), max.cast_signed());
    Key::new(name, ValueType::Integer { min, max, unit }, doc)
}

pub(crate) fn read(root: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<ClientLimits> {
    let Some(field) = root.get_non_null("limits") else {
        return Some(ClientLimits::default());
    };
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let connections = CONNECTIONS.read(&section, diagnostics);
    let router_connections = match section.get_non_null("routerConnections") {
        Some(field) => field.integer(ROUTER_CONNECTIONS, diagnostics),
        None => Some(DEFAULT_ROUTER_CONNECTIONS),
    };
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
        router_connections: router_connections?,
        request_head_bytes: request_heads?,
        unread_answer_bytes: unread_answers?,
        request_bytes: requests?,
        unauthenticated_request_bytes: unauthenticated?,
        passwords_waiting: passwords_waiting?,
        log_lines_per_minute: log_lines?,
    })
}

/// Limits of single clients whose default depends on the limit of all, each with the keys of both.
pub(crate) fn per_client(limits: &ClientLimits) -> [(&'static str, &'static str, u64); 6] {
    [
        (&CONNECTIONS, &limits.connections),
        (&REQUEST_HEADS, &limits.request_head_bytes),
        (&UNREAD_ANSWERS, &limits.unread_answer_bytes),
        (&REQUESTS, &limits.request_bytes),
        (
            &UNAUTHENTICATED_REQUESTS,
            &limits.unauthenticated_request_bytes,
        ),
        (&LOG_LINES, &limits.log_lines_per_minute),
    ]
    .map(|(rule, limit)| (rule.per_client_key, rule.total_key, limit.per_client))
}

impl LimitRule {
    const fn total_row(&self, unit: Unit, doc: &'static str) -> Key {
        let bounds = (*self.total_bounds.start(), *self.total_bounds.end());
        limit(self.total_key, bounds, unit, doc)
    }

    const fn per_client_row(&self, unit: Unit, doc: &'static str) -> Key {
        let bounds = (self.min_per_client, *self.total_bounds.end());
        limit(self.per_client_key, bounds, unit, doc)
    }

    fn default_per_client(&self, total: u64) -> u64 {
        (total / self.fraction).max(self.min_per_client)
    }

    fn read(&self, section: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<ClientLimit> {
        let total = match section.get_non_null(self.total_key) {
            Some(field) => field.integer(self.total_bounds.clone(), diagnostics)?,
            None => self.total,
        };
        let each = match section.get_non_null(self.per_client_key) {
            Some(field) => self.read_per_client(&field, total, diagnostics)?,
            None => self.default_per_client(total),
        };
        Some(ClientLimit {
            total,
            per_client: each,
        })
    }

    fn read_per_client(
        &self,
        field: &Field<'_>,
        total: u64,
        diagnostics: &mut Diagnostics,
    ) -> Option<u64> {
        let each = field.integer(self.min_per_client..=*self.total_bounds.end(), diagnostics)?;
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
