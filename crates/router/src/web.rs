//! Servers of the section `web`.

use std::time::Duration;

use portcullis_router_config::model::{self, Identity, SourcedValue};

use crate::section_reader::{IncompleteConfigError, SectionReader};

/// An API that a router serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WebApi {
    /// `health-checks`: whether controllers and links are there. It answers every path that no other API of
    /// the server has; `/health-checks` is the documented one.
    HealthChecks,
    /// `metrics`: what the router measures, for Prometheus, under `/metrics`.
    Metrics,
}

/// A server: an entry of `web` that serves APIs of a router.
#[derive(Clone, Debug, PartialEq)]
pub struct WebServer<'config> {
    /// For the log.
    pub name: &'config str,
    pub apis: Vec<WebApi>,
    pub bind_points: Vec<BindPoint>,
    /// Certificates in place of the router's.
    pub identity: Option<&'config Identity>,
    pub options: WebOptions,
}

/// Options of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebOptions {
    /// How long a request may take to arrive.
    pub read_timeout: Duration,
    /// How long a connection may wait for the next request.
    pub idle_timeout: Duration,
    /// How long a response may take.
    pub write_timeout: Duration,
    pub min_tls_version: TlsVersion,
    pub max_tls_version: TlsVersion,
}

/// A version of TLS that is served; older ones are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsVersion {
    Tls12,
    Tls13,
}

/// Host and port of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindPoint {
    interface: String,
    new_address: Option<String>,
}

impl WebApi {
    /// As the file names it in `binding`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HealthChecks => "health-checks",
            Self::Metrics => "metrics",
        }
    }

    fn from_binding(binding: &str) -> Option<Self> {
        match binding {
            "health-checks" => Some(Self::HealthChecks),
            "metrics" => Some(Self::Metrics),
            _ => None,
        }
    }
}

impl WebOptions {
    fn from_config(entry: &model::WebServer) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("web.options");
        let newest = reader.value("maxTLSVersion", entry.max_tls_version.as_ref())?;
        let oldest = reader.value("minTLSVersion", entry.min_tls_version.as_ref())?;
        Ok(Self {
            read_timeout: reader.duration("readTimeout", entry.read_timeout.as_ref())?,
            idle_timeout: reader.duration("idleTimeout", entry.idle_timeout.as_ref())?,
            write_timeout: reader.duration("writeTimeout", entry.write_timeout.as_ref())?,
            // What is older than the oldest that is served allows all that are.
            min_tls_version: TlsVersion::from_name(oldest).unwrap_or(TlsVersion::Tls12),
            max_tls_version: TlsVersion::from_name(newest)
                .ok_or_else(|| reader.missing("maxTLSVersion"))?,
        })
    }
}

impl TlsVersion {
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "TLS1.2" => Some(Self::Tls12),
            "TLS1.3" => Some(Self::Tls13),
            _ => None,
        }
    }
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
    fn from_config(config: &model::WebBindPoint) -> Option<Self> {
        let here = Self::new(non_empty(config.interface.as_ref())?);
        Some(match non_empty(config.new_address.as_ref()) {
            Some(address) => here.with_new_address(address),
            None => here,
        })
    }
}

/// Reads the entries that serve APIs of a router, with their host and port bind points.
///
/// # Errors
///
/// [`IncompleteConfigError`] if an option is missing, or allows only versions of TLS before 1.2.
///
/// # Examples
///
/// ```
/// use portcullis_router::web::{WebApi, web_servers};
/// use portcullis_router_config::{CheckOptions, SourceFile, load};
///
/// let file = SourceFile::new(
///     "router.yml",
///     b"web: [{name: h, bindPoints: [{interface: '0.0.0.0:8081', address: 'r.example.test:8081'}], \
///       apis: [{binding: health-checks}]}]",
/// );
/// let config = load(&file, &CheckOptions::new()).config;
///
/// let servers = web_servers(&config.web)?;
/// assert_eq!(servers[0].apis, [WebApi::HealthChecks]);
/// assert_eq!(servers[0].bind_points[0].interface(), "0.0.0.0:8081");
/// # Ok::<(), portcullis_router::IncompleteConfigError>(())
/// ```
pub fn web_servers(web: &[model::WebServer]) -> Result<Vec<WebServer<'_>>, IncompleteConfigError> {
    let mut servers = Vec::new();
    for entry in web {
        let mut apis = Vec::new();
        for api in &entry.apis {
            let known = non_empty(api.binding.as_ref()).and_then(WebApi::from_binding);
            apis.extend(known.filter(|api| !apis.contains(api)));
        }
        if apis.is_empty() {
            continue;
        }
        let points = entry.bind_points.iter();
        servers.push(WebServer {
            name: non_empty(entry.name.as_ref()).unwrap_or_default(),
            apis,
            bind_points: points.filter_map(BindPoint::from_config).collect(),
            identity: (entry.identity.cert.is_some() || entry.identity.server_cert.is_some())
                .then_some(&entry.identity),
            options: WebOptions::from_config(entry)?,
        });
    }
    Ok(servers)
}

/// A value that is present and not empty.
fn non_empty(given: Option<&SourcedValue<String>>) -> Option<&str> {
    let text = given?.value.as_str();
    (!text.is_empty()).then_some(text)
}
