//! Entries of `web` that serve the health API.

use portcullis_router_config::model::{SourcedValue, WebBindPoint, WebServer};

/// Name of the API in the section `web`.
pub const BINDING: &str = "health-checks";

/// An entry of `web` that serves the health API.
///
/// All its requests go to the API whatever their path; `/health-checks` is the documented one.
/// Certificates, timeouts and TLS versions are those of the entry.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthServer<'config> {
    pub entry: &'config WebServer,
    pub bind_points: Vec<BindPoint>,
}

/// Host and port that serves the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindPoint {
    interface: String,
    new_address: Option<String>,
}

impl BindPoint {
    pub fn new(interface: impl Into<String>) -> Self {
        Self {
            interface: interface.into(),
            new_address: None,
        }
    }

    /// Announces another host and port to clients, in the header `ziti-ctrl-address`.
    #[must_use]
    pub fn with_new_address(self, address: impl Into<String>) -> Self {
        Self {
            new_address: Some(address.into()),
            ..self
        }
    }

    /// Host and port to listen on.
    pub fn interface(&self) -> &str {
        &self.interface
    }

    /// Host and port that clients are to use from now on.
    pub fn new_address(&self) -> Option<&str> {
        self.new_address.as_deref()
    }

    /// `None` for a bind point without an interface: it is served over the overlay network.
    fn from_config(config: &WebBindPoint) -> Option<Self> {
        let here = Self::new(non_empty(config.interface.as_ref())?);
        Some(match non_empty(config.new_address.as_ref()) {
            Some(address) => here.with_new_address(address),
            None => here,
        })
    }
}

/// Finds the entries of `web` that serve the API, with their host and port bind points.
///
/// # Examples
///
/// ```
/// use portcullis_router::health::health_servers;
/// use portcullis_router_config::{CheckOptions, SourceFile, load};
///
/// let file = SourceFile::new(
///     "router.yml",
///     b"web: [{name: h, bindPoints: [{interface: '0.0.0.0:8081', address: 'r.example.test:8081'}], \
///       apis: [{binding: health-checks}]}]",
/// );
/// let config = load(&file, &CheckOptions::new()).config;
///
/// let found = health_servers(&config.web);
/// assert_eq!(found[0].bind_points[0].interface(), "0.0.0.0:8081");
/// ```
pub fn health_servers(web: &[WebServer]) -> Vec<HealthServer<'_>> {
    web.iter()
        .filter(|entry| {
            let mut names = entry.apis.iter().map(|api| non_empty(api.binding.as_ref()));
            names.any(|name| name == Some(BINDING))
        })
        .map(|entry| HealthServer {
            entry,
            bind_points: entry
                .bind_points
                .iter()
                .filter_map(BindPoint::from_config)
                .collect(),
        })
        .collect()
}

/// A value that is present and not empty.
fn non_empty(given: Option<&SourcedValue<String>>) -> Option<&str> {
    let text = given?.value.as_str();
    (!text.is_empty()).then_some(text)
}
