//! Pairs of values in which one bounds the other.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Diagnostics, Field, Section};

use crate::codes;
use crate::semantics::query::{entries, field_at, section_at, string_at};

const BACKOFFS: [(&str, &str, &str); 2] = [
    ("healthyDialBackoff", "5s", "5m"),
    ("unhealthyDialBackoff", "1m", "1h"),
];

/// From 10ms to 24h, in nanoseconds.
const PAUSE_RANGE: std::ops::RangeInclusive<i64> = 10_000_000..=86_400_000_000_000;

const VERSIONS: [&str; 4] = ["TLS1.0", "TLS1.1", "TLS1.2", "TLS1.3"];

pub(super) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    for dialer in entries(root, &["link", "dialers"]) {
        for (name, least, most) in BACKOFFS {
            if let Some(backoff) = section_at(&dialer, &[name]) {
                check_backoff(&backoff, least, most, diagnostics);
            }
        }
    }
    check_rate_limiter(root, diagnostics);
    check_close_interval(root, diagnostics);
    for server in entries(root, &["web"]) {
        check_tls_versions(&server, diagnostics);
    }
    check_proxy(root, diagnostics);
    for owner in channel_owners(root) {
        if let Some(options) = section_at(&owner, &["options"]) {
            warn_two_timeouts(&options, diagnostics);
        }
    }
}

/// Effective values are compared, so one given value can exceed the default of the other.
fn check_backoff(backoff: &Section<'_>, least: &str, most: &str, diagnostics: &mut Diagnostics) {
    let read = |name: &str, default: &str| {
        let field = backoff.get(name);
        let text = field
            .as_ref()
            .and_then(|field| field.node().as_str())
            .unwrap_or(default);
        (text.parse::<GoDuration>().ok(), field)
    };
    let (shortest, least_field) = read("minRetryInterval", least);
    let (longest, most_field) = read("maxRetryInterval", most);
    let (Some(shortest), Some(longest)) = (shortest, longest) else {
        return;
    };
    // A value that is out of bounds by itself has been reported.
    if [shortest, longest]
        .iter()
        .any(|pause| !PAUSE_RANGE.contains(&pause.nanoseconds()))
    {
        return;
    }
    if shortest > longest
        && let Some(field) = least_field.as_ref().or(most_field.as_ref())
    {
        let message =
            format!("the shortest pause, {shortest}, is longer than the longest, {longest}");
        let both = least_field.is_some() && most_field.is_some();
        let diagnostic =
            diagnostics.error(codes::CONFLICT, field.path(), field.location(), message);
        if !both {
            diagnostic.help("the other one has its default; set both");
        }
    }
}

fn check_rate_limiter(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let limiter = ["ctrl", "rateLimiter"];
    let integer = |field: &Field<'_>| field.node().as_integer();
    let least = section_at(root, &limiter).and_then(|limiter| limiter.get("minSize"));
    let most = section_at(root, &limiter).and_then(|limiter| limiter.get("maxSize"));
    let largest = most.as_ref().and_then(integer).unwrap_or(250);
    if let Some(field) = least
        && let Some(smallest) = integer(&field)
        && smallest > largest
        && [smallest, largest]
            .iter()
            .all(|size| (5..=1_000).contains(size))
    {
        let message =
            format!("the smallest window, {smallest}, is larger than the largest, {largest}");
        diagnostics.error(codes::CONFLICT, field.path(), field.location(), message);
    }
}

/// A timer without an interval crashes OpenZiti, but only when a circuit is removed.
fn check_close_interval(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let key = ["forwarder", "xgressCloseCheckInterval"];
    if let Some(field) = field_at(root, &key)
        && field.node().as_integer() == Some(0)
    {
        let message = "OpenZiti crashes with 0 when it removes the first circuit";
        diagnostics
            .warning(codes::SUSPICIOUS, field.path(), field.location(), message)
            .help("write how many milliseconds to wait, such as 5000");
    }
}

fn check_tls_versions(server: &Section<'_>, diagnostics: &mut Diagnostics) {
    let Some(options) = section_at(server, &["options"]) else {
        return;
    };
    let rank = |name: &str, default: usize| {
        let Some(given) = string_at(&options, name) else {
            return Some(default);
        };
        VERSIONS.iter().position(|version| *version == given)
    };
    let (Some(oldest), Some(newest)) = (rank("minTLSVersion", 2), rank("maxTLSVersion", 3)) else {
        return;
    };
    let field = options
        .get("minTLSVersion")
        .or_else(|| options.get("maxTLSVersion"));
    if let Some(field) = field
        && oldest > newest
    {
        let message = "the minimum TLS version is above the maximum";
        diagnostics.error(codes::CONFLICT, field.path(), field.location(), message);
    }
}

fn check_proxy(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    for path in [&["proxy"][..], &["transport", "proxy"][..]] {
        let Some(proxy) = section_at(root, path) else {
            continue;
        };
        if string_at(&proxy, "type") == Some("http") && proxy.get("address").is_none() {
            proxy.report_missing("address", "proxy.example.test:3128", diagnostics);
        }
        if let (Some(field), None) = (proxy.get("password"), proxy.get("username")) {
            let message = "`password` is not used without `username`";
            diagnostics.warning(
                codes::UNUSED_KEY,
                field.path(),
                field.key_location(),
                message,
            );
        }
    }
}

/// Returns all sections that may have channel options.
fn channel_owners<'tree>(root: &Section<'tree>) -> Vec<Section<'tree>> {
    let lists: [&[&str]; 5] = [
        &["ctrl", "listeners"],
        &["link", "listeners"],
        &["link", "dialers"],
        &["listeners"],
        &["dialers"],
    ];
    let ctrl = section_at(root, &["ctrl"]);
    ctrl.into_iter()
        .chain(lists.iter().flat_map(|list| entries(root, list)))
        .collect()
}

fn warn_two_timeouts(options: &Section<'_>, diagnostics: &mut Diagnostics) {
    if let (Some(_), Some(old)) = (
        options.get("connectTimeout"),
        options.get("connectTimeoutMs"),
    ) {
        let message = "`connectTimeoutMs` is not used, because `connectTimeout` is set";
        diagnostics.warning(codes::CONFLICT, old.path(), old.key_location(), message);
    }
}
