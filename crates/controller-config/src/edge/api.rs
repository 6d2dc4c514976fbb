//! Section `edge.api`.

use std::ops::RangeInclusive;
use std::time::Duration;

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostics, Field, Key, Section, codes};

use crate::address::host_and_port;

/// Section `edge.api`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeApi {
    /// Address that clients are told; the address of a bind point that hosts `edge-client`.
    pub address: HostPort,
    /// Idle time after which a session ends, 30 minutes unless given.
    pub session_timeout: Duration,
    /// Time after which a session ends however much it is used; `None`, unless given, for no end.
    pub session_lifetime: Option<Duration>,
    /// The same for administrators, where it is shorter; 24 hours unless given.
    pub administrator_session_lifetime: Option<Duration>,
    /// How old the last login or TOTP code of a session may be for what gives power over the network;
    /// `None`, unless given, for any age.
    pub fresh_factor: Option<Duration>,
    /// Bytes that may be stored for what one identity makes for itself, 1 MiB unless given.
    pub identity_storage_quota: u32,
    /// Time between two writes of last activity, 90 seconds unless given.
    pub activity_update_interval: Duration,
    /// Sessions per write of last activity, 250 unless given.
    pub activity_update_batch_size: u16,
    /// Whether `edge-oidc` stands only where the file names it.
    pub disable_oidc_auto_binding: bool,
}

const LEAST_SESSION_TIMEOUT: Duration = Duration::from_mins(1);
const DEFAULT_SESSION_TIMEOUT: Duration = Duration::from_mins(30);
const DEFAULT_ADMINISTRATOR_LIFETIME: Duration = Duration::from_hours(24);
const LIFETIMES: RangeInclusive<Duration> = Duration::from_mins(5)..=Duration::from_hours(24 * 365);
const FACTOR_AGES: RangeInclusive<Duration> = Duration::from_mins(1)..=Duration::from_hours(24);
const QUOTAS: RangeInclusive<u32> = 256 << 10..=1 << 30;
const DEFAULT_QUOTA: u32 = 1 << 20;
const LEAST_INTERVAL: Duration = Duration::from_millis(1);
const MOST_INTERVAL: Duration = Duration::from_mins(10);
const DEFAULT_INTERVAL: Duration = Duration::from_secs(90);
const MOST_BATCH: u16 = 10_000;
const DEFAULT_BATCH: u16 = 250;

const KEYS: &[Key] = &[
    Key::read("address"),
    Key::read("sessionTimeout"),
    Key::read("sessionLifetime"),
    Key::read("administratorSessionLifetime"),
    Key::read("freshFactor"),
    Key::read("identityStorageQuota"),
    Key::read("activityUpdateInterval"),
    Key::read("activityUpdateBatchSize"),
    Key::read("disableOidcAutoBinding"),
];

pub(super) fn read(edge: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<EdgeApi> {
    let form = "{address: \"ctrl.example.test:1280\"}";
    let section = edge
        .require("api", form, diagnostics)?
        .section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let address = section
        .require("address", "ctrl.example.test:1280", diagnostics)
        .and_then(|field| host_and_port(&field, diagnostics));
    let session_timeout = section.get("sessionTimeout").and_then(|field| {
        at_least(
            &field,
            LEAST_SESSION_TIMEOUT,
            DEFAULT_SESSION_TIMEOUT,
            diagnostics,
        )
    });
    let mut most = |name, bounds, default| match section.get(name) {
        Some(field) => limit(&field, bounds, diagnostics),
        None => default,
    };
    let session_lifetime = most("sessionLifetime", (&LIFETIMES, "no limit"), None);
    let administrator_session_lifetime = most(
        "administratorSessionLifetime",
        (&LIFETIMES, "no limit"),
        Some(DEFAULT_ADMINISTRATOR_LIFETIME),
    );
    let fresh_factor = most("freshFactor", (&FACTOR_AGES, "any age"), None);
    let quota = section
        .get("identityStorageQuota")
        .and_then(|field| field.integer(QUOTAS, diagnostics));
    let interval = section
        .get("activityUpdateInterval")
        .and_then(|field| update_interval(&field, diagnostics));
    let batch = section
        .get("activityUpdateBatchSize")
        .and_then(|field| field.integer(1..=MOST_BATCH, diagnostics));
    let disable = section
        .get("disableOidcAutoBinding")
        .and_then(|field| field.boolean(diagnostics));
    Some(EdgeApi {
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

/// Reads a duration that gives way to `default`, with a warning, when it is below `least`.
pub(super) fn at_least(
    field: &Field<'_>,
    least: Duration,
    default: Duration,
    diagnostics: &mut Diagnostics,
) -> Option<Duration> {
    let duration = field.duration(diagnostics)?;
    let long_enough = duration.as_std().filter(|duration| *duration >= least);
    if long_enough.is_none() {
        let (path, least, default) = (field.path(), in_units(least), in_units(default));
        let message = format!("`{path}` is shorter than {least}; {default} is used instead");
        field
            .warning(codes::OUT_OF_RANGE, message, diagnostics)
            .help(format!("write a duration of {least} or more"));
    }
    long_enough
}

/// Reads a limit in a range; `None` for `0s`, which means no limit, in the words of `without`.
fn limit(
    field: &Field<'_>,
    (range, without): (&RangeInclusive<Duration>, &str),
    diagnostics: &mut Diagnostics,
) -> Option<Duration> {
    match field.duration(diagnostics)?.as_std() {
        Some(Duration::ZERO) => None,
        Some(limit) if range.contains(&limit) => Some(limit),
        _ => {
            let (least, most) = (in_units(*range.start()), in_units(*range.end()));
            let message = format!("`{}` must be from {least} to {most}", field.path());
            field
                .error(codes::OUT_OF_RANGE, message, diagnostics)
                .help(format!("write `0s` for {without}"));
            None
        },
    }
}

/// Writes a duration of whole minutes, from a day on in hours.
fn in_units(duration: Duration) -> String {
    const DAY: u64 = 24 * 60;
    let minutes = duration.as_secs() / 60;
    if minutes >= DAY && minutes.is_multiple_of(60) {
        format!("{}h", minutes / 60)
    } else {
        format!("{minutes}m")
    }
}

fn update_interval(field: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<Duration> {
    let duration = field.duration(diagnostics)?.as_std();
    let fits = duration.filter(|duration| (LEAST_INTERVAL..=MOST_INTERVAL).contains(duration));
    if fits.is_none() {
        let message = format!("`{}` must be from 1ms to 10m", field.path());
        field.error(codes::OUT_OF_RANGE, message, diagnostics);
    }
    fits
}
