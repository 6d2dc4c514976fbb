//! Section `edge.api`.

use std::ops::RangeInclusive;
use std::time::Duration;

use portcullis_key_table::Unit;
use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::address::read_host_and_port;
use crate::durations::{display, display_range, read_within};
use crate::keys::{Key, KeyGroup, StringFormat, ValueType, duration_from, duration_within};

/// Section `edge.api`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeApiConfig {
    /// Address advertised to clients: the address of a bind point that serves `edge-client`.
    pub address: HostPort,
    /// Idle time after which a session ends, 30 minutes by default.
    pub session_timeout: Duration,
    /// Time after which a session ends even if it is used; `None`, the default, for no limit.
    pub session_lifetime: Option<Duration>,
    /// Shorter session lifetime of administrators; 24 hours by default.
    pub administrator_session_lifetime: Option<Duration>,
    /// Maximum age of the last login or TOTP code of a session for privileged operations; `None`, the
    /// default, for any age.
    pub fresh_factor: Option<Duration>,
    /// Bytes that one identity may store for itself, 1 MiB by default.
    pub identity_storage_quota: u32,
    /// Time between two writes of last activity, 90 seconds by default.
    pub activity_update_interval: Duration,
    /// Sessions per write of last activity, 250 by default.
    pub activity_update_batch_size: u16,
    /// Whether `edge-oidc` is served only where the file names it.
    pub disable_oidc_auto_binding: bool,
}

const MIN_SESSION_TIMEOUT: Duration = Duration::from_mins(1);
const DEFAULT_SESSION_TIMEOUT: Duration = Duration::from_mins(30);
const DEFAULT_ADMINISTRATOR_LIFETIME: Duration = Duration::from_hours(24);
const LIFETIME_RANGE: RangeInclusive<Duration> =
    Duration::from_mins(5)..=Duration::from_hours(24 * 365);
const FACTOR_AGE_RANGE: RangeInclusive<Duration> =
    Duration::from_mins(1)..=Duration::from_hours(24);
const QUOTA_RANGE: RangeInclusive<u32> = 256 << 10..=1 << 30;
const DEFAULT_QUOTA: u32 = 1 << 20;
const INTERVAL_RANGE: RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_mins(10);
const DEFAULT_INTERVAL: Duration = Duration::from_secs(90);
const MAX_BATCH: u16 = 10_000;
const DEFAULT_BATCH: u16 = 250;

pub(super) const KEYS: KeyGroup = &[
    Key::new(
        "address",
        ValueType::String(StringFormat::HostPort),
        "Where clients find the controller. A bind point of a listener with `edge-client` has to have the \
         same `address`.",
    )
    .required()
    .example("ctrl.example.test:1280"),
    duration_from(
        "sessionTimeout",
        MIN_SESSION_TIMEOUT,
        "How long a session lives without use. Where it is shorter than the bound, the default is used.",
    )
    .default("30m")
    .example("1h"),
    duration_within(
        "sessionLifetime",
        &LIFETIME_RANGE,
        "After how long a session ends however much it is used; `0s` for no limit.",
    )
    .default("0s")
    .example("168h"),
    duration_within(
        "administratorSessionLifetime",
        &LIFETIME_RANGE,
        "The same for administrators, where it is shorter; `0s` for no limit of their own.",
    )
    .default("24h")
    .example("8h"),
    duration_within(
        "freshFactor",
        &FACTOR_AGE_RANGE,
        "How old the last login or TOTP code of a session may be for what gives power over the network; `0s` \
         for any age.",
    )
    .default("0s")
    .example("10m"),
    Key::new(
        "identityStorageQuota",
        ValueType::Integer {
            min: *QUOTA_RANGE.start() as i64,
            max: *QUOTA_RANGE.end() as i64,
            unit: Unit::Bytes,
        },
        "What the store may hold for what one identity makes for itself.",
    )
    .default("1048576")
    .example("4194304"),
    duration_within(
        "activityUpdateInterval",
        &INTERVAL_RANGE,
        "How often it is written down when sessions were last used. After a crash a session may end by so \
         much too early.",
    )
    .default("90s")
    .example("30s"),
    Key::count(
        "activityUpdateBatchSize",
        1,
        MAX_BATCH as i64,
        "How many sessions are written down at once.",
    )
    .default("250")
    .example("500"),
    Key::new(
        "disableOidcAutoBinding",
        ValueType::Bool,
        "Whether `edge-oidc` is only served where the file names it, and not beside every `edge-client`.",
    )
    .default("false")
    .example("true"),
];

pub(super) fn read(edge: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<EdgeApiConfig> {
    let form = "{address: \"ctrl.example.test:1280\"}";
    let section = edge
        .require("api", form, diagnostics)?
        .section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let address = section
        .require("address", "ctrl.example.test:1280", diagnostics)
        .and_then(|field| read_host_and_port(&field, diagnostics));
    let session_timeout = section.get("sessionTimeout").and_then(|field| {
        read_at_least(
            &field,
            MIN_SESSION_TIMEOUT,
            DEFAULT_SESSION_TIMEOUT,
            diagnostics,
        )
    });
    let mut read_optional_limit = |name, bounds, default| match section.get(name) {
        Some(field) => read_limit(&field, bounds, diagnostics),
        None => default,
    };
    let session_lifetime =
        read_optional_limit("sessionLifetime", (&LIFETIME_RANGE, "no limit"), None);
    let administrator_session_lifetime = read_optional_limit(
        "administratorSessionLifetime",
        (&LIFETIME_RANGE, "no limit"),
        Some(DEFAULT_ADMINISTRATOR_LIFETIME),
    );
    let fresh_factor = read_optional_limit("freshFactor", (&FACTOR_AGE_RANGE, "any age"), None);
    let quota = section
        .get("identityStorageQuota")
        .and_then(|field| field.integer(QUOTA_RANGE, diagnostics));
    let interval = section
        .get("activityUpdateInterval")
        .and_then(|field| read_within(&field, &INTERVAL_RANGE, diagnostics));
    let batch = section
        .get("activityUpdateBatchSize")
        .and_then(|field| field.integer(1..=MAX_BATCH, diagnostics));
    let disable = section
        .get("disableOidcAutoBinding")
        .and_then(|field| field.boolean(diagnostics));
    Some(EdgeApiConfig {
        address: address?,
        session_timeout: session_timeout.unwrap_or(DEFAULT_SESSION_TIMEOUT),
        session_lifetime,
        administrator_session_lifetime,
        fresh_factor,
        identity_storage_quota: quota.unwrap_or(DEFAULT_QUOTA),
        activity_update_interval: interval.unwrap_or(DEFAULT_INTERVAL),
        activity_update_batch_size: batch.unwrap_or(DEFAULT_BATCH),
        disable_oidc_auto_binding: disable.unwrap_or(false),
    })
}

/// Reads a duration that is replaced by `default`, with a warning, when it is below `least`.
pub(super) fn read_at_least(
    field: &Field<'_>,
    least: Duration,
    default: Duration,
    diagnostics: &mut Diagnostics,
) -> Option<Duration> {
    let duration = field.duration(diagnostics)?;
    let long_enough = duration.as_std().filter(|duration| *duration >= least);
    if long_enough.is_none() {
        let (path, least, default) = (field.path(), display(least), display(default));
        let message = format!("`{path}` is shorter than {least}; {default} is used instead");
        field
            .warning(codes::OUT_OF_RANGE, message, diagnostics)
            .help(format!("write a duration of {least} or more"));
    }
    long_enough
}

/// Reads a limit in a range; `None` for `0s`, which means what `without` says.
fn read_limit(
    field: &Field<'_>,
    (range, without): (&RangeInclusive<Duration>, &str),
    diagnostics: &mut Diagnostics,
) -> Option<Duration> {
    match field.duration(diagnostics)?.as_std() {
        Some(Duration::ZERO) => None,
        Some(limit) if range.contains(&limit) => Some(limit),
        _ => {
            let message = format!("`{}` must be {}", field.path(), display_range(range));
            field
                .error(codes::OUT_OF_RANGE, message, diagnostics)
                .help(format!("write `0s` for {without}"));
            None
        },
    }
}
