//! Pairs of values of which one bounds the other.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Diagnostics, Field, Section};

use crate::codes;
use crate::semantics::tree::{at, entries, section, text};

const BACKOFFS: [(&str, &str, &str); 2] = [
    ("healthyDialBackoff", "5s", "5m"),
    ("unhealthyDialBackoff", "1m", "1h"),
];

/// From 10ms to 24h, in nanoseconds.
const PAUSES: std::ops::RangeInclusive<i64> = 10_000_000..=86_400_000_000_000;

const VERSIONS: [&str; 4] = ["TLS1.0", "TLS1.1", "TLS1.2", "TLS1.3"];

pub(super) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    for dialer in entries(root, &["link", "dialers"]) {
        for (name, least, most) in BACKOFFS {
            if let Some(backoff) = section(&dialer, &[name]) {
                pauses(&backoff, least, most, diagnostics);
            }
        }
    }
    window(root, diagnostics);
    close_check(root, diagnostics);
    for server in entries(root, &["web"]) {
        versions(&server, diagnostics);
    }
    proxy(root, diagnostics);
    for owner in channels(root) {
        if let Some(options) = section(&owner, &["options"]) {
            two_timeouts(&options, diagnostics);
        }
    }
}

/// The bounds hold for what is in effect, so one given value can exceed the default of the other.
fn pauses(backoff: &Section<'_>, least: &str, most: &str, diagnostics: &mut Diagnostics) {
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
    // What is out of bounds by itself has been reported.
    if [shortest, longest]
        .iter()
        .any(|pause| !PAUSES.contains(&pause.nanoseconds()))
    {
        return;
    }
    if shortest > longest
        && let Some(field) = least_field.as_ref().or(most_field.as_ref())
    {
        let message =
            format!("the shortest pause, {shortest}, is longer than the longest, {longest}");
        let both = least_field.is_some() && most_field.is_some();
        let diagnostic = diagnostics.error(codes::CONFLICT, field.path(), field.place(), message);
        if !both {
            diagnostic.help("the other one has its default; set both");
        }
    }
}

fn window(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let limiter = ["ctrl", "rateLimiter"];
    let integer = |field: &Field<'_>| field.node().as_integer();
    let least = section(root, &limiter).and_then(|limiter| limiter.get("minSize"));
    let most = section(root, &limiter).and_then(|limiter| limiter.get("maxSize"));
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
        diagnostics.error(codes::CONFLICT, field.path(), field.place(), message);
    }
}

/// A timer without an interval ends the process of OpenZiti, not before a circuit is taken down.
fn close_check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let key = ["forwarder", "xgressCloseCheckInterval"];
    if let Some(field) = at(root, &key)
        && field.node().as_integer() == Some(0)
    {
        let message = "OpenZiti crashes with 0 when it removes the first circuit";
        diagnostics
            .warning(codes::SUSPICIOUS, field.path(), field.place(), message)
            .help("write how many milliseconds to wait, such as 5000");
    }
}

fn versions(server: &Section<'_>, diagnostics: &mut Diagnostics) {
    let Some(options) = section(server, &["options"]) else {
        return;
    };
    let rank = |name: &str, default: usize| {
        let Some(given) = text(&options, name) else {
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
        diagnostics.error(codes::CONFLICT, field.path(), field.place(), message);
    }
}

fn proxy(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    for path in [&["proxy"][..], &["transport", "proxy"][..]] {
        let Some(proxy) = section(root, path) else {
            continue;
        };
        if text(&proxy, "type") == Some("http") && proxy.get("address").is_none() {
            proxy.report_missing("address", "proxy.example.test:3128", diagnostics);
        }
        if let (Some(field), None) = (proxy.get("password"), proxy.get("username")) {
            let message = "`password` is not used without `username`";
            diagnostics.warning(codes::UNUSED_KEY, field.path(), field.key_place(), message);
        }
    }
}

/// Gives everything that may have options of a channel.
fn channels<'tree>(root: &Section<'tree>) -> Vec<Section<'tree>> {
    let lists: [&[&str]; 5] = [
        &["ctrl", "listeners"],
        &["link", "listeners"],
        &["link", "dialers"],
        &["listeners"],
        &["dialers"],
    ];
    let ctrl = section(root, &["ctrl"]);
    ctrl.into_iter()
        .chain(lists.iter().flat_map(|list| entries(root, list)))
        .collect()
}

fn two_timeouts(options: &Section<'_>, diagnostics: &mut Diagnostics) {
    if let (Some(_), Some(old)) = (
        options.get("connectTimeout"),
        options.get("connectTimeoutMs"),
    ) {
        let message = "`connectTimeoutMs` is not used, because `connectTimeout` is set";
        diagnostics.warning(codes::CONFLICT, old.path(), old.key_place(), message);
    }
}
