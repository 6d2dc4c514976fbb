//! The entries of `web` that serve the API.

use portcullis_router_config::model::{Given, WebBindPoint, WebServer};

/// Name of the API in the section `web`.
pub const BINDING: &str = "health-checks";

/// An entry of `web` that serves the API.
///
/// Its requests go to the API whatever their path; `/health-checks` is the one that clients are told.
/// Certificates, timeouts and versions of TLS are those of the entry.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthServer<'config> {
    /// The entry.
    pub entry: &'config WebServer,
    /// Where it is served.
    pub bind_points: Vec<BindPoint>,
}

/// Where the API is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindPoint {
    interface: String,
    new_address: Option<String>,
}

impl BindPoint {
    /// Serves at a host and port.
    pub fn new(interface: impl Into<String>) -> Self {
        Self {
            interface: interface.into(),
            new_address: None,
        }
    }

    /// Tells clients to use another host and port from now on, by the header `ziti-ctrl-address`.
    #[must_use]
    pub fn moved_to(self, address: impl Into<String>) -> Self {
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

    /// `None` for a bind point without an interface: it is served over the network itself.
    fn from_config(config: &WebBindPoint) -> Option<Self> {
        let here = Self::new(text(config.interface.as_ref())?);
        Some(match text(config.new_address.as_ref()) {
            Some(address) => here.moved_to(address),
            None => here,
        })
    }
}

/// Finds the entries of `web` that serve the API, with the bind points that are a host and port.
///
/// # Examples
///
/// ```
/// use portcullis_router::health::servers;
/// use portcullis_router_config::{Options, Text, load};
///
/// let file = Text::new(
///     "router.yml",
///     b"web: [{name: h, bindPoints: [{interface: '0.0.0.0:8081', address: 'r.example.test:8081'}], \
///       apis: [{binding: health-checks}]}]",
/// );
/// let config = load(&file, Options::default(), &|_| None).config;
///
/// let found = servers(&config.web);
/// assert_eq!(found[0].bind_points[0].interface(), "0.0.0.0:8081");
/// ```
pub fn servers(web: &[WebServer]) -> Vec<HealthServer<'_>> {
    web.iter()
        .filter(|entry| {
            let mut names = entry.apis.iter().map(|api| text(api.binding.as_ref()));
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

/// A text that is there and not empty.
fn text(given: Option<&Given<String>>) -> Option<&str> {
    let text = given?.value.as_str();
    (!text.is_empty()).then_some(text)
}
