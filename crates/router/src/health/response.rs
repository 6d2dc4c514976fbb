//! HTTP responses of the `health-checks` API.

use crate::health::checks::HealthChecks;
use crate::health::document::DetailLevel;
use crate::health::query::find_parameter;
use crate::web::BindPoint;

/// The relevant parts of a request.
///
/// Headers, body and the path of the target are irrelevant: see [`respond`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'request> {
    /// Method, such as `GET`.
    pub method: &'request str,
    /// Request target (RFC 9112 section 3.2), such as `/health-checks?type=short`.
    pub target: &'request str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthResponse {
    pub status: u16,
    /// Headers apart from those for message framing.
    pub headers: Vec<(&'static str, String)>,
    /// Body; empty for HEAD requests.
    pub body: String,
}

/// Builds the response to a request at a bind point.
///
/// Any path and any method is answered, so that probes of `/` work too. The status is 200 whether the
/// router is healthy or not. Query parameters change that:
///
/// | Parameter | Effect |
/// |---|---|
/// | `type=short` | only `id` and `healthy` of each check are included |
/// | `status=code` | the status is 503 while the router is not healthy |
///
/// # Examples
///
/// ```
/// use portcullis_domain::clock::Timestamp;
/// use portcullis_router::health::{HealthChecks, HealthOptions, Request, respond};
/// use portcullis_router::web::BindPoint;
/// use portcullis_router_config::{CheckOptions, SourceFile, load};
///
/// let file = SourceFile::new("router.yml", b"v: 3\n");
/// let config = load(&file, &CheckOptions::new()).config;
/// let options = HealthOptions::from_config(&config.health_checks)?;
/// let checks = HealthChecks::new(options, Timestamp::UNIX_EPOCH);
/// let here = BindPoint::new("0.0.0.0:8081");
///
/// let get = |target| respond(&checks, Request { method: "GET", target }, &here);
/// assert_eq!(get("/health-checks").status, 200);
/// assert_eq!(get("/health-checks?status=code").status, 503);
/// # Ok::<(), portcullis_router::IncompleteConfigError>(())
/// ```
pub fn respond(checks: &HealthChecks, request: Request<'_>, here: &BindPoint) -> HealthResponse {
    let query = request
        .target
        .split_once('?')
        .map_or("", |(_, query)| query);
    let asks = |name, value| find_parameter(query, name).as_deref() == Some(value);
    let form = if asks("type", "short") {
        DetailLevel::Short
    } else {
        DetailLevel::Full
    };
    let tells_by_status = asks("status", "code");
    let mut headers = vec![("content-type", "application/json".to_owned())];
    if let Some(address) = here.new_address() {
        headers.push(("ziti-ctrl-address", format!("https://{address}")));
    }
    HealthResponse {
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
