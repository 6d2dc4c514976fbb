//! References of the file to external things, with their positions.

use portcullis_yaml::{Diagnostics, Field, KeyPath, Node, Section, SourceLocation};

use crate::identity::{PemSource, read_pem_source};
use crate::relative_paths::BaseFolders;
use crate::store::{self, StoreLocation};

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
    /// Certificate chains with their keys, without duplicates.
    pub pairs: Vec<CertKeyReference>,
    /// Certificates to trust.
    pub ca: Option<PemReference>,
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
    /// Hosts that the controller shares with routers.
    pub shared_hosts: Vec<SharedHostReference>,
}

/// Collects all valid references. Mistakes are reported elsewhere.
pub(crate) fn collect(tree: &Node, folders: &BaseFolders) -> ExternalReferences {
    let Some(root) = Section::root(tree, &mut Diagnostics::default()) else {
        return ExternalReferences::default();
    };
    let finder = ReferenceCollector { folders };
    let own = section(&root, "identity").map(|section| finder.identity(&section));
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
        shared_hosts: enrollment.as_ref().map(shared_hosts).unwrap_or_default(),
    }
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

struct ReferenceCollector<'folders> {
    folders: &'folders BaseFolders,
}

impl ReferenceCollector<'_> {
    fn identity(&self, at: &Section<'_>) -> IdentityReferences {
        let usual = CertKeyReference {
            cert: self.pem_reference(at, "cert"),
            key: self.pem_reference(at, "key"),
        };
        let server = CertKeyReference {
            cert: self
                .pem_reference(at, "server_cert")
                .or_else(|| usual.cert.clone()),
            key: self
                .pem_reference(at, "server_key")
                .or_else(|| usual.key.clone()),
        };
        let further = items(at, "alt_server_certs");
        let further = further.iter().filter_map(|item| {
            let at = item.section(&mut Diagnostics::default())?;
            Some(CertKeyReference {
                cert: self.pem_reference(&at, "server_cert"),
                key: self
                    .pem_reference(&at, "server_key")
                    .or_else(|| usual.key.clone()),
            })
        });
        let further: Vec<_> = further.collect();
        let server = (server != usual).then_some(server);
        IdentityReferences {
            pairs: std::iter::once(usual)
                .chain(server)
                .chain(further)
                .collect(),
            ca: self.pem_reference(at, "ca"),
        }
    }

    fn identities_of_listeners(&self, root: &Section<'_>) -> Vec<IdentityReferences> {
        let of = |item: &Field<'_>| {
            let listener = item.section(&mut Diagnostics::default())?;
            Some(self.identity(&section(&listener, "identity")?))
        };
        items(root, "web").iter().filter_map(of).collect()
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
