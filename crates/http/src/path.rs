//! Request paths: normalization, and the API that a path belongs to.
//!
//! Paths are normalized before they are matched, without a redirect: repeated slashes collapse, `.`
//! and `..` are resolved, a trailing slash is dropped. Existing consoles depend on it. The client
//! API is the fallback: a path without the base path of an API belongs to it, so that clients that
//! know only host and port find it.

use portcullis_oidc::discovery;
use std::borrow::Cow;

/// The APIs that a listener can serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Api {
    /// For SDKs, tunnelers and routers.
    Client,
    /// For administrators.
    Management,
    /// For operators of the fabric.
    Fabric,
    /// For monitoring.
    HealthChecks,
    /// For logins by OpenID Connect.
    Oidc,
}

impl Api {
    pub const ALL: [Self; 5] = [
        Self::Client,
        Self::Management,
        Self::Fabric,
        Self::HealthChecks,
        Self::Oidc,
    ];

    /// Those with a description of their own. That of OpenID Connect is its discovery document.
    pub const DESCRIBED: [Self; 4] = [
        Self::Client,
        Self::Management,
        Self::Fabric,
        Self::HealthChecks,
    ];

    /// A slice of this API alone.
    pub(crate) const fn only(self) -> &'static [Self] {
        match self {
            Self::Client => &[Self::Client],
            Self::Management => &[Self::Management],
            Self::Fabric => &[Self::Fabric],
            Self::HealthChecks => &[Self::HealthChecks],
            Self::Oidc => &[Self::Oidc],
        }
    }

    pub const fn base_path(self) -> &'static str {
        match self {
            Self::Client => "/edge/client/v1",
            Self::Management => "/edge/management/v1",
            Self::Fabric => "/fabric/v1",
            Self::HealthChecks => "/health-checks/v1",
            Self::Oidc => "/oidc",
        }
    }

    /// Its name in configuration files and in the response to `GET /version`.
    pub const fn binding(self) -> &'static str {
        match self {
            Self::Client => "edge-client",
            Self::Management => "edge-management",
            Self::Fabric => "fabric",
            Self::HealthChecks => "health-checks",
            Self::Oidc => "edge-oidc",
        }
    }
}

/// A path within an API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiPath<'a> {
    pub api: Api,
    /// The rest of the path, beginning with a slash; still percent-encoded.
    pub path: Cow<'a, str>,
}

/// Alternative base paths: the one by which older clients know the client API, and the usual one of
/// the health checks.
const ALIASES: [(Api, &str); 2] = [
    (Api::Client, "/edge/v1"),
    (Api::HealthChecks, "/health-checks"),
];

/// Splits a path into the API that it belongs to and the rest. `is_served` tells which APIs are
/// served; the base paths of health checks and of logins are not recognized where these are not. The
/// discovery document of logins is at the root, too.
pub fn resolve(raw: &str, is_served: impl Fn(Api) -> bool) -> ApiPath<'_> {
    let path = normalize(raw);
    if path == discovery::PATH && is_served(Api::Oidc) {
        return ApiPath {
            api: Api::Oidc,
            path,
        };
    }
    let bases = Api::ALL
        .into_iter()
        .map(|api| (api, api.base_path()))
        .chain(ALIASES)
        .filter(|(api, _base)| match api {
            Api::HealthChecks | Api::Oidc => is_served(*api),
            Api::Client | Api::Management | Api::Fabric => true,
        });
    for (api, base) in bases {
        let rest = match &path {
            Cow::Borrowed(path) => strip_base(path, base).map(Cow::Borrowed),
            Cow::Owned(path) => strip_base(path, base).map(|rest| Cow::Owned(rest.to_owned())),
        };
        if let Some(path) = rest {
            return ApiPath { api, path };
        }
    }
    ApiPath {
        api: Api::Client,
        path,
    }
}

/// Strips `base` from `path`, if `path` is `base` or lies below it.
fn strip_base<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    match path.strip_prefix(base)? {
        "" => Some("/"),
        rest if rest.starts_with('/') => Some(rest),
        _ => None,
    }
}

/// Normalizes a path: `//a/./b/../c/` becomes `/a/c`.
fn normalize(raw: &str) -> Cow<'_, str> {
    let is_normalized = raw.starts_with('/')
        && (raw.len() == 1 || !raw.ends_with('/'))
        && !raw.contains("//")
        && !raw.contains("/.");
    if is_normalized {
        return Cow::Borrowed(raw);
    }
    let mut segments = Vec::new();
    for segment in raw.split('/') {
        match segment {
            "" | "." => {},
            ".." => {
                segments.pop();
            },
            segment => segments.push(segment),
        }
    }
    Cow::Owned(format!("/{}", segments.join("/")))
}

/// Decodes `%XX` in a path parameter; `None` if the result is not valid UTF-8.
pub fn decode_parameter(raw: &str) -> Option<String> {
    if !raw.contains('%') {
        return Some(raw.to_owned());
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let (digits, after) = after.split_at_checked(2)?;
            let mut byte = 0;
            for &digit in digits {
                let value = char::from(digit).to_digit(16)?;
                byte = byte << 4 | u8::try_from(value).ok()?;
            }
            bytes.push(byte);
            rest = after;
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_find_their_api() {
        for (raw, api, path) in [
            ("/", Api::Client, "/"),
            ("/version", Api::Client, "/version"),
            ("/edge/client/v1", Api::Client, "/"),
            ("/edge/client/v1/enroll", Api::Client, "/enroll"),
            ("/edge/v1/enroll", Api::Client, "/enroll"),
            (
                "/edge/management/v1//identities/x//",
                Api::Management,
                "/identities/x",
            ),
            (
                "/edge/management/v1/a/../identities/.",
                Api::Management,
                "/identities",
            ),
            (
                "/edge/management/v10/identities",
                Api::Client,
                "/edge/management/v10/identities",
            ),
            ("/fabric/v1//routers", Api::Fabric, "/routers"),
            (
                "/edge/client/v1/../../../../etc/passwd",
                Api::Client,
                "/etc/passwd",
            ),
            (
                "/.well-known/est/cacerts",
                Api::Client,
                "/.well-known/est/cacerts",
            ),
            (
                "/edge/client/v1/identities/.x",
                Api::Client,
                "/identities/.x",
            ),
        ] {
            let target = resolve(raw, |_api| true);
            assert_eq!((target.api, target.path.as_ref()), (api, path), "{raw}");
        }
    }

    #[test]
    fn paths_of_monitors_are_theirs_where_they_are_served() {
        for (raw, path) in [
            ("/health-checks", "/"),
            ("/health-checks/v1/", "/"),
            ("/health-checks/v1/controller", "/controller"),
            ("/health-checks//controller", "/controller"),
        ] {
            let target = resolve(raw, |_api| true);
            assert_eq!(
                (target.api, target.path.as_ref()),
                (Api::HealthChecks, path)
            );
            assert_eq!(resolve(raw, |_api| false).api, Api::Client, "{raw}");
        }
    }

    #[test]
    fn discovery_is_found_at_the_root_and_below() {
        let document = discovery::PATH;
        for raw in [document, &format!("/oidc{document}")] {
            let target = resolve(raw, |_api| true);
            assert_eq!((target.api, target.path.as_ref()), (Api::Oidc, document));
            assert_eq!(resolve(raw, |_api| false).api, Api::Client, "{raw}");
        }
    }

    #[test]
    fn parameters_are_decoded_once() {
        assert_eq!(decode_parameter("a.b-C"), Some("a.b-C".to_owned()));
        assert_eq!(decode_parameter("a%2Fb%2525"), Some("a/b%25".to_owned()));
        for broken in ["%", "%2", "%zz", "%+f", "%ff"] {
            assert_eq!(decode_parameter(broken), None, "{broken}");
        }
    }
}
