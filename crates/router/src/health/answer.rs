//! The HTTP answer of the `health-checks` API.

use crate::health::checks::HealthChecks;
use crate::health::document::Form;
use crate::health::query::parameter;
use crate::health::servers::BindPoint;

/// What of a request matters for the answer.
///
/// Its headers and its body do not, nor does the path of its target: see [`answer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'request> {
    /// Method, such as `GET`.
    pub method: &'request str,
    /// Target as it stands in the request (RFC 9112 section 3.2), such as `/health-checks?type=short`.
    pub target: &'request str,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Status.
    pub status: u16,
    /// Headers apart from those that frame the message.
    pub headers: Vec<(&'static str, String)>,
    /// Body; empty if the request asks for the headers only.
    pub body: String,
}

/// Answers a request that came in at a bind point.
///
/// The API is the only one that a router has, so it gets every request: any path and any method is
/// answered, and probes that ask for `/` go on working. The status is 200 whether the router is healthy or
/// not. Parameters of the query change that:
///
/// | Parameter | Effect |
/// |---|---|
/// | `type=short` | only `id` and `healthy` of each check are shown |
/// | `status=code` | the status is 503 while the router is not healthy |
///
/// # Examples
///
/// ```
/// use portcullis_domain::clock::Timestamp;
/// use portcullis_router::health::{BindPoint, HealthChecks, Request, Settings, answer};
/// use portcullis_router_config::{Options, Text, load};
///
/// let file = Text::new("router.yml", b"v: 3\n");
/// let config = load(&file, Options::default(), &|_| None).config;
/// let settings = Settings::from_config(&config.health_checks)?;
/// let checks = HealthChecks::new(settings, Timestamp::UNIX_EPOCH);
/// let here = BindPoint::new("0.0.0.0:8081");
///
/// let get = |target| answer(&checks, Request { method: "GET", target }, &here);
/// assert_eq!(get("/health-checks").status, 200);
/// assert_eq!(get("/health-checks?status=code").status, 503);
/// # Ok::<(), portcullis_router::Incomplete>(())
/// ```
pub fn answer(checks: &HealthChecks, request: Request<'_>, here: &BindPoint) -> Answer {
    let query = request
        .target
        .split_once('?')
        .map_or("", |(_, query)| query);
    let asks = |name, value| parameter(query, name).as_deref() == Some(value);
    let form = if asks("type", "short") {
        Form::Short
    } else {
        Form::Full
    };
    let tells_by_status = asks("status", "code");
    let mut headers = vec![("content-type", "application/json".to_owned())];
    if let Some(address) = here.new_address() {
        headers.push(("ziti-ctrl-address", format!("https://{address}")));
    }
    Answer {
        status: if tells_by_status && !checks.is_healthy() {
            503
        } else {
            200
        },
        headers,
        body: if request.method == "HEAD" {
            String::new()
        } else {
            checks.document(form)
        },
    }
}
