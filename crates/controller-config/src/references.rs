//! References of the file to external things, with their positions.

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostics, Field, KeyPath, Node, Section, SourceLocation};

use crate::address::{read_host_and_port, read_transport_address};
use crate::identity::{PemSource, read_pem_source};
use crate::log;
use crate::otlp;
use crate::relative_paths::BaseFolders;
use crate::store::{self, StoreLocation};

/// Key of the certificate of clients that may read metrics.
pub(crate) const SCRAPE_CERT: &str = "scrapeCert";

/// Index of a web application that names none.
pub(crate) const DEFAULT_INDEX_FILE: &str = "index.html";

/// A value of the file that references a certificate or key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PemReference {
    pub path: KeyPath,
    pub place: SourceLocation,
    pub source: PemSource,
}

/// References to a certificate chain and its key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertKeyReference {
    pub cert: Option<PemReference>,
    /// Key of `cert`.
    pub key: Option<PemReference>,
}

/// References of a section `identity`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentityReferences {
    /// Position in `web` of the listener that the section belongs to; `None` for the controller's own.
    pub listener: Option<usize>,
    pub client: CertKeyReference,
    /// Certificates that are served: the default first, then the alternatives.
    pub servers: Vec<CertKeyReference>,
    /// Certificates to trust.
    pub ca: Option<PemReference>,
}

impl IdentityReferences {
    /// Certificate chains with their keys; one that is used for both ends comes once.
    pub fn pairs(&self) -> impl Iterator<Item = &CertKeyReference> {
        let servers = self.servers.iter().filter(|pair| **pair != self.client);
        std::iter::once(&self.client).chain(servers)
    }
}

/// A value of the file that names a host with a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressReference {
    pub path: KeyPath,
    pub place: SourceLocation,
    pub address: HostPort,
}

/// An entry of `web[].bindPoints`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindPointReference {
    /// Position in `web` of the listener that it belongs to.
    pub listener: usize,
    /// Address to listen on.
    pub interface: Option<AddressReference>,
    /// Addresses that clients use.
    pub advertised: Vec<AddressReference>,
}

/// Reference to the location of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreReference {
    pub path: KeyPath,
    pub place: SourceLocation,
    pub location: StoreLocation,
}

/// A host of the controller that routers may also have in their certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedHostReference {
    pub path: KeyPath,
    pub place: SourceLocation,
    pub host: String,
}

/// A URI that logins or logouts may lead to, in the options of `edge-oidc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectUriReference {
    pub path: KeyPath,
    pub place: SourceLocation,
    pub uri: String,
}

/// A host of logins, in the options of `edge-oidc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginHostReference {
    /// Position in `web` of the listener that it belongs to.
    pub listener: usize,
    /// Position of the API in `apis`.
    pub api: usize,
    /// Position in `allowedHostnames`.
    pub number: usize,
    pub path: KeyPath,
    pub place: SourceLocation,
}

/// A directory with a web application, in the options of `spa` or `zac`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebAppReference {
    /// Place of `location`.
    pub path: KeyPath,
    pub place: SourceLocation,
    pub location: String,
    pub index_file: String,
}

/// A filter of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilterReference {
    pub path: KeyPath,
    pub place: SourceLocation,
    pub filter: String,
}

/// All references of a file to external things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalReferences {
    /// The identity of the controller first, then those of listeners.
    pub identities: Vec<IdentityReferences>,
    /// Authority that signs the certificates of identities and routers.
    pub signing: CertKeyReference,
    /// Additional certificates for clients to trust.
    pub signing_ca: Option<PemReference>,
    pub store: Option<StoreReference>,
    /// Address of the APIs, as enrollment tokens name it.
    pub client_address: Option<AddressReference>,
    pub bind_points: Vec<BindPointReference>,
    /// Where routers connect; the host may be empty, for all addresses of the machine.
    pub router_listener: Option<AddressReference>,
    /// Address for routers, as enrollment tokens name it.
    pub router_address: Option<AddressReference>,
    /// Hosts that the controller shares with routers.
    pub shared_hosts: Vec<SharedHostReference>,
    /// Where logins and logouts may lead.
    pub redirect_uris: Vec<RedirectUriReference>,
    /// Hosts at which logins are served under a certificate with a wildcard.
    pub login_hosts: Vec<LoginHostReference>,
    /// Certificates of clients that may read metrics.
    pub scrape_certs: Vec<PemReference>,
    /// Certificates of the authorities of the OTLP endpoint.
    pub otlp_ca: Option<PemReference>,
    /// Directories with web applications.
    pub web_apps: Vec<WebAppReference>,
    /// Filter of the log.
    pub log_filter: Option<LogFilterReference>,
}

/// Collects all valid references. Mistakes are reported elsewhere.
pub(crate) fn collect(tree: &Node, folders: &BaseFolders) -> ExternalReferences {
    let Some(root) = Section::root(tree, &mut Diagnostics::default()) else {
        return ExternalReferences::default();
    };
    let finder = ReferenceCollector { folders };
    let own = section(&root, "identity").map(|section| finder.identity(&section, None));
    let enrollment = section(&root, "edge").and_then(|edge| section(&edge, "enrollment"));
    let signing = (enrollment.as_ref()).and_then(|at| section(at, "signingCert"));
    ExternalReferences {
        identities: own
            .into_iter()
            .chain(finder.identities_of_listeners(&root))
            .collect(),
        signing: CertKeyReference {
            cert: signing
                .as_ref()
                .and_then(|at| finder.pem_reference(at, "cert")),
            key: signing
                .as_ref()
                .and_then(|at| finder.pem_reference(at, "key")),
        },
        signing_ca: signing
            .as_ref()
            .and_then(|at| finder.pem_reference(at, "ca")),
        store: finder.store(&root),
        client_address: section(&root, "edge")
            .and_then(|edge| section(&edge, "api"))
            .and_then(|api| web_address(&api, "address")),
        bind_points: bind_points(&root),
        router_listener: section(&root, "ctrl")
            .and_then(|ctrl| transport_address(&ctrl, "listener")),
        router_address: section(&root, "ctrl")
            .and_then(|ctrl| section(&ctrl, "options"))
            .and_then(|options| transport_address(&options, "advertiseAddress")),
        shared_hosts: enrollment.as_ref().map(shared_hosts).unwrap_or_default(),
        redirect_uris: options_of(&root, &["edge-oidc"])
            .flat_map(|(_, _, options)| redirect_uris(&options))
            .collect(),
        login_hosts: options_of(&root, &["edge-oidc"])
            .flat_map(|(listener, api, options)| login_hosts(listener, api, &options))
            .collect(),
        scrape_certs: options_of(&root, &["metrics"])
            .filter_map(|(_, _, options)| finder.pem_reference(&options, SCRAPE_CERT))
            .collect(),
        otlp_ca: section(&root, otlp::SECTION)
            .and_then(|at| finder.pem_reference(&at, otlp::CA_CERT)),
        web_apps: options_of(&root, &["spa", "zac"])
            .filter_map(|(_, _, options)| web_app(&options))
            .collect(),
        log_filter: section(&root, "log").and_then(|log| log_filter(&log)),
    }
}

fn log_filter(log: &Section<'_>) -> Option<LogFilterReference> {
    let field = log.get_non_null(log::FILTER)?;
    Some(LogFilterReference {
        filter: field.non_empty(&mut Diagnostics::default())?.to_owned(),
        path: field.path().clone(),
        place: field.location(),
    })
}

fn shared_hosts(enrollment: &Section<'_>) -> Vec<SharedHostReference> {
    let host = |item: &Field<'_>| {
        Some(SharedHostReference {
            host: item.non_empty(&mut Diagnostics::default())?.to_owned(),
            path: item.path().clone(),
            place: item.location(),
        })
    };
    let items = items(enrollment, "sharedHosts");
    items.iter().filter_map(host).collect()
}

/// The options of each API with one of these bindings, after the positions of its listener and of
/// itself.
fn options_of<'tree>(
    root: &Section<'tree>,
    bindings: &'static [&'static str],
) -> impl Iterator<Item = (usize, usize, Section<'tree>)> {
    let listeners = items(root, "web").into_iter().enumerate();
    let apis = listeners.flat_map(|(listener, item)| {
        let at = item.section(&mut Diagnostics::default());
        let apis = at.map(|at| items(&at, "apis")).unwrap_or_default();
        apis.into_iter()
            .enumerate()
            .map(move |(api, item)| (listener, api, item))
    });
    apis.filter_map(move |(listener, api, item)| {
        let at = item.section(&mut Diagnostics::default())?;
        let is_meant = bindings.contains(&at.get("binding")?.node().as_str()?);
        let options = is_meant.then(|| section(&at, "options"))??;
        Some((listener, api, options))
    })
}

fn web_app(options: &Section<'_>) -> Option<WebAppReference> {
    let text = |field: Field<'_>| {
        let text = field.non_empty(&mut Diagnostics::default())?;
        Some(text.to_owned())
    };
    let field = options.get_non_null("location")?;
    let index_file = match options.get_non_null("indexFile") {
        None => DEFAULT_INDEX_FILE.to_owned(),
        Some(field) => text(field)?,
    };
    Some(WebAppReference {
        path: field.path().clone(),
        place: field.location(),
        location: text(field)?,
        index_file,
    })
}

fn redirect_uris(options: &Section<'_>) -> Vec<RedirectUriReference> {
    let lists = ["redirectURIs", "postLogoutURIs"].map(|name| items(options, name));
    let uri = |item: &Field<'_>| {
        Some(RedirectUriReference {
            uri: item
                .non_empty(&mut Diagnostics::default())?
                .trim()
                .to_owned(),
            path: item.path().clone(),
            place: item.location(),
        })
    };
    lists.iter().flatten().filter_map(uri).collect()
}

fn login_hosts(listener: usize, api: usize, options: &Section<'_>) -> Vec<LoginHostReference> {
    let host = |(number, item): (usize, &Field<'_>)| LoginHostReference {
        listener,
        api,
        number,
        path: item.path().clone(),
        place: item.location(),
    };
    let items = items(options, "allowedHostnames");
    items.iter().enumerate().map(host).collect()
}

fn bind_points(root: &Section<'_>) -> Vec<BindPointReference> {
    let mut points = Vec::new();
    for (listener, item) in items(root, "web").iter().enumerate() {
        let Some(at) = item.section(&mut Diagnostics::default()) else {
            continue;
        };
        let found = items(&at, "bindPoints");
        let found = found.iter().filter_map(|point| {
            let point = point.section(&mut Diagnostics::default())?;
            let advertised = ["address", "newAddress"];
            Some(BindPointReference {
                listener,
                interface: web_address(&point, "interface"),
                advertised: (advertised.iter())
                    .filter_map(|name| web_address(&point, name))
                    .collect(),
            })
        });
        points.extend(found);
    }
    points
}

/// An address of the APIs: host and port.
fn web_address(at: &Section<'_>, name: &str) -> Option<AddressReference> {
    let field = at.get_non_null(name)?;
    let address = read_host_and_port(&field, &mut Diagnostics::default())?;
    Some(AddressReference {
        path: field.path().clone(),
        place: field.location(),
        address,
    })
}

/// An address of the control channel.
fn transport_address(at: &Section<'_>, name: &str) -> Option<AddressReference> {
    let field = at.get_non_null(name)?;
    let address = read_transport_address(&field, &mut Diagnostics::default())?;
    Some(AddressReference {
        path: field.path().clone(),
        place: field.location(),
        address: address.endpoint,
    })
}

struct ReferenceCollector<'folders> {
    folders: &'folders BaseFolders,
}

impl ReferenceCollector<'_> {
    fn identity(&self, at: &Section<'_>, listener: Option<usize>) -> IdentityReferences {
        let client = CertKeyReference {
            cert: self.pem_reference(at, "cert"),
            key: self.pem_reference(at, "key"),
        };
        let server = CertKeyReference {
            cert: self
                .pem_reference(at, "server_cert")
                .or_else(|| client.cert.clone()),
            key: self
                .pem_reference(at, "server_key")
                .or_else(|| client.key.clone()),
        };
        let further = items(at, "alt_server_certs");
        let further = further.iter().filter_map(|item| {
            let at = item.section(&mut Diagnostics::default())?;
            Some(CertKeyReference {
                cert: self.pem_reference(&at, "server_cert"),
                key: self
                    .pem_reference(&at, "server_key")
                    .or_else(|| client.key.clone()),
            })
        });
        let servers = std::iter::once(server).chain(further).collect();
        IdentityReferences {
            listener,
            client,
            servers,
            ca: self.pem_reference(at, "ca"),
        }
    }

    fn identities_of_listeners(&self, root: &Section<'_>) -> Vec<IdentityReferences> {
        let of = |(number, item): (usize, &Field<'_>)| {
            let listener = item.section(&mut Diagnostics::default())?;
            Some(self.identity(&section(&listener, "identity")?, Some(number)))
        };
        let listeners = items(root, "web");
        listeners.iter().enumerate().filter_map(of).collect()
    }

    fn pem_reference(&self, at: &Section<'_>, name: &str) -> Option<PemReference> {
        let field = at.get_non_null(name)?;
        Some(PemReference {
            source: read_pem_source(&field, self.folders, &mut Diagnostics::default())?,
            path: field.path().clone(),
            place: field.location(),
        })
    }

    fn store(&self, root: &Section<'_>) -> Option<StoreReference> {
        let location = store::read(root, self.folders, &mut Diagnostics::default())?;
        let field = match &location {
            StoreLocation::Database(_) => root.get("db"),
            StoreLocation::Cluster(_) => section(root, "cluster")?.get("dataDir"),
        }?;
        Some(StoreReference {
            path: field.path().clone(),
            place: field.location(),
            location,
        })
    }
}

fn section<'tree>(at: &Section<'tree>, name: &str) -> Option<Section<'tree>> {
    at.get_non_null(name)?.section(&mut Diagnostics::default())
}

fn items<'tree>(at: &Section<'tree>, name: &str) -> Vec<Field<'tree>> {
    at.get_non_null(name)
        .and_then(|field| field.list(&mut Diagnostics::default()))
        .unwrap_or_default()
}
