//! Section `otlp`: export of metrics and traces.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use portcullis_yaml::{Diagnostics, Field, Section, codes};
use url::Url;

use crate::durations::read_within;
use crate::fractions::millionths;
use crate::identity::{PemSource, ReportedError, read_pem_source};
use crate::keys::{Key, KeyGroup, StringFormat, ValueType, duration_within};
use crate::relative_paths::BaseFolders;

/// Section `otlp`. OpenZiti has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtlpConfig {
    /// With the scheme `http` or `https`, without credentials, query and fragment.
    pub endpoint: Url,
    /// Names, and what they are sent with.
    pub headers: Vec<(String, SecretText)>,
    /// Whom the endpoint has its certificate from, in place of the authorities of the system.
    pub ca: Option<PemSource>,
    pub metrics: bool,
    /// Time between two exports of metrics.
    pub interval: Duration,
    pub traces: bool,
    /// Part of the traces that begin here, in millionths.
    pub sample_per_million: u32,
}

/// A text that is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    /// The text itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("(a secret)")
    }
}

/// Name of the section.
pub(crate) const SECTION: &str = "otlp";
/// Key of the certificate of the authority.
pub(crate) const CA_CERT: &str = "caCert";

const INTERVAL_RANGE: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(1);
const RATIO_RANGE: RangeInclusive<f64> = 0.0..=1.0;
const DEFAULT_INTERVAL: Duration = Duration::from_mins(1);

pub(crate) const KEYS: KeyGroup = &[
    Key::new(
        "endpoint",
        ValueType::String(StringFormat::Uri),
        "Where they are sent by OTLP over HTTP; `/v1/metrics` and `/v1/traces` are appended.",
    )
    .required()
    .example("https://collector.example.test:4318"),
    Key::new(
        "headers",
        ValueType::Secrets,
        "Headers that each message has, such as `authorization`. They are in no log, and `config show` leaves them out.",
    )
    .example("{authorization: \"Bearer ${OTLP_TOKEN}\"}"),
    Key::new(
        CA_CERT,
        ValueType::String(StringFormat::Pem),
        "Certificates of the authorities that the endpoint may have its own from, in place of those of the system.",
    )
    .example("collector-ca.pem"),
    Key::new("metrics", ValueType::Bool, "Whether metrics are sent.")
        .default("true")
        .example("false"),
    duration_within(
        "interval",
        &INTERVAL_RANGE,
        "How often metrics are sent.",
    )
    .default("1m")
    .example("15s"),
    Key::new(
        "traces",
        ValueType::Bool,
        "Whether a span of each request to the APIs is sent.",
    )
    .default("true")
    .example("false"),
    Key::new(
        "sampleRatio",
        ValueType::Number {
            min: *RATIO_RANGE.start(),
            max: *RATIO_RANGE.end(),
        },
        "Which part of the requests has a span sent; where a client continues a trace, the client decides.",
    )
    .default("1")
    .example("0.1"),
];

pub(crate) fn read(
    root: &Section<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Result<Option<OtlpConfig>, ReportedError> {
    let Some(field) = root.get_non_null(SECTION) else {
        return Ok(None);
    };
    let config = read_section(&field, folders, diagnostics);
    config.map(Some).ok_or(ReportedError)
}

fn read_section(
    field: &Field<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<OtlpConfig> {
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let endpoint = section
        .require(
            "endpoint",
            "https://collector.example.test:4318",
            diagnostics,
        )
        .and_then(|field| read_endpoint(&field, diagnostics));
    let headers = match section.get_non_null("headers") {
        None => Some(Vec::new()),
        Some(field) => read_headers(&field, diagnostics),
    };
    let ca = match section.get_non_null(CA_CERT) {
        None => Ok(None),
        Some(field) => read_pem_source(&field, folders, diagnostics)
            .map(Some)
            .ok_or(ReportedError),
    };
    let metrics = value(&section, "metrics", true, |field| {
        field.boolean(diagnostics)
    });
    let interval = value(&section, "interval", DEFAULT_INTERVAL, |field| {
        read_within(field, &INTERVAL_RANGE, diagnostics)
    });
    let traces = value(&section, "traces", true, |field| field.boolean(diagnostics));
    let sample_per_million = value(&section, "sampleRatio", 1_000_000, |field| {
        field.number(RATIO_RANGE, diagnostics).map(millionths)
    });
    Some(OtlpConfig {
        endpoint: endpoint?,
        headers: headers?,
        ca: ca.ok()?,
        metrics: metrics?,
        interval: interval?,
        traces: traces?,
        sample_per_million: sample_per_million?,
    })
}

/// Reads the value of a key that may be absent.
fn value<T>(
    section: &Section<'_>,
    name: &str,
    default: T,
    read: impl FnOnce(&Field<'_>) -> Option<T>,
) -> Option<T> {
    match section.get_non_null(name) {
        None => Some(default),
        Some(field) => read(&field),
    }
}

fn read_endpoint(field: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<Url> {
    let url = Url::parse(field.non_empty(diagnostics)?.trim()).ok();
    let problem = match &url {
        None => Some("is not a URL"),
        Some(url) if !matches!(url.scheme(), "http" | "https") => {
            Some("is not a URL of http or https")
        },
        Some(url) if !url.username().is_empty() || url.password().is_some() => {
            Some("must not have a user name or a password in it; they belong to `headers`")
        },
        Some(url) if url.query().is_some() || url.fragment().is_some() => {
            Some("must end with its path")
        },
        Some(_) => None,
    };
    if let Some(problem) = problem {
        // The value is not quoted: it may have a password in it.
        let message = format!("`{}` {problem}", field.path());
        field
            .error(codes::INVALID_VALUE, message, diagnostics)
            .help("write a URL such as `https://collector.example.test:4318`");
        return None;
    }
    url
}

fn read_headers(
    field: &Field<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<(String, SecretText)>> {
    let headers = field.section(diagnostics)?;
    let headers: Vec<_> = headers
        .fields()
        .map(|(name, value)| read_header(name, &value, diagnostics))
        .collect();
    headers.into_iter().collect()
}

fn read_header(
    name: &str,
    value: &Field<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<(String, SecretText)> {
    let text = value.non_empty(diagnostics)?.trim();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        let message = format!("`{name}` is not the name of a header");
        value.error(codes::INVALID_VALUE, message, diagnostics);
        return None;
    }
    let own = [
        "host",
        "content-type",
        "content-length",
        "connection",
        "transfer-encoding",
    ];
    if own.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        let message = "this header follows from the message; leave it out";
        value.error(codes::INVALID_VALUE, message, diagnostics);
        return None;
    }
    if !text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) {
        let message = "the value of a header must be printable ASCII";
        value.error(codes::INVALID_VALUE, message, diagnostics);
        return None;
    }
    Some((name.to_owned(), SecretText(text.to_owned())))
}

#[cfg(test)]
mod tests {
    use crate::read;

    fn findings(section: &str) -> Vec<String> {
        let outcome = read(&[&format!("v: 3\notlp: {section}\n")], &|_| None);
        let about = outcome.diagnostics.iter();
        about
            .filter(|one| one.path.to_string().starts_with("otlp"))
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn section_is_checked() {
        for good in [
            "{endpoint: 'http://localhost:4318'}",
            "{endpoint: 'https://a.test/otlp/', headers: {x-team: a}, interval: 1s, sampleRatio: 0.5}",
            "{endpoint: 'https://a.test', metrics: false, traces: true, caCert: ca.pem}",
        ] {
            assert_eq!(findings(good), [""; 0], "{good}");
        }
        for wrong in [
            "{}",
            "http://localhost",
            "{endpoint: localhost}",
            "{endpoint: 'ftp://a.test'}",
            "{endpoint: 'https://user:hunter2@a.test'}",
            "{endpoint: 'https://a.test/?token=hunter2'}",
            "{endpoint: 'http://a', interval: 500ms}",
            "{endpoint: 'http://a', interval: 2h}",
            "{endpoint: 'http://a', sampleRatio: 1.5}",
            "{endpoint: 'http://a', metrics: 1}",
            "{endpoint: 'http://a', header: {a: b}}",
            "{endpoint: 'http://a', headers: [hunter2]}",
            "{endpoint: 'http://a', headers: {'a b': hunter2}}",
            "{endpoint: 'http://a', headers: {a: ''}}",
            "{endpoint: 'http://a', headers: {a: [hunter2]}}",
            "{endpoint: 'http://a', headers: {a: \"hunter2\\x01\"}}",
            "{endpoint: 'http://a', headers: {Host: hunter2}}",
        ] {
            let found = findings(wrong);
            assert_eq!(found.len(), 1, "{wrong}: {found:?}");
            assert!(!found[0].contains("hunter2"), "{found:?}");
        }
    }
}
