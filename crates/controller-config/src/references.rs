//! References of the file to external things, with their positions.

use portcullis_yaml::{Diagnostics, Field, KeyPath, Node, Place, Section};

use crate::identity::{Material, read_pem_source};
use crate::relative_paths::BaseFolders;
use crate::store::{self, StoreLocation};

/// A value of the file that references a certificate or key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub path: KeyPath,
    pub place: Place,
    pub material: Material,
}

/// References to a certificate chain and its key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedPair {
    pub cert: Option<Named>,
    /// Key of `cert`.
    pub key: Option<Named>,
}

/// References of a section `identity`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentityReferences {
    /// Certificate chains with their keys, without duplicates.
    pub pairs: Vec<NamedPair>,
    /// Certificates to trust.
    pub ca: Option<Named>,
}

/// Reference to the location of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedStore {
    pub path: KeyPath,
    pub place: Place,
    pub location: StoreLocation,
}

/// A host of the controller that routers may also have in their certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedHost {
    pub path: KeyPath,
    pub place: Place,
    pub host: String,
}

/// All references of a file to external things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedThings {
    /// The identity of the controller first, then those of listeners.
    pub identities: Vec<IdentityReferences>,
    /// Authority that signs the certificates of identities and routers.
    pub signing: NamedPair,
    /// Additional certificates for clients to trust.
    pub signing_ca: Option<Named>,
    pub store: Option<NamedStore>,
    /// Hosts that the controller shares with routers.
    pub shared_hosts: Vec<NamedHost>,
}

/// Collects all valid references. Mistakes are reported elsewhere.
pub(crate) fn collect(tree: &Node, folders: &BaseFolders) -> NamedThings {
    let Some(root) = Section::root(tree, &mut Diagnostics::default()) else {
        return NamedThings::default();
    };
    let finder = ReferenceCollector { folders };
    let own = section(&root, "identity").map(|section| finder.identity(&section));
    let enrollment = section(&root, "edge").and_then(|edge| section(&edge, "enrollment"));
    let signing = (enrollment.as_ref()).and_then(|at| section(at, "signingCert"));
    NamedThings {
        identities: own
            .into_iter()
            .chain(finder.identities_of_listeners(&root))
            .collect(),
        signing: NamedPair {
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

fn shared_hosts(enrollment: &Section<'_>) -> Vec<NamedHost> {
    let host = |item: &Field<'_>| {
        Some(NamedHost {
            host: item.non_empty(&mut Diagnostics::default())?.to_owned(),
            path: item.path().clone(),
            place: item.place(),
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
        let usual = NamedPair {
            cert: self.pem_reference(at, "cert"),
            key: self.pem_reference(at, "key"),
        };
        let server = NamedPair {
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
            Some(NamedPair {
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

    fn pem_reference(&self, at: &Section<'_>, name: &str) -> Option<Named> {
        let field = at.get_non_null(name)?;
        Some(Named {
            material: read_pem_source(&field, self.folders, &mut Diagnostics::default())?,
            path: field.path().clone(),
            place: field.place(),
        })
    }

    fn store(&self, root: &Section<'_>) -> Option<NamedStore> {
        let location = store::read(root, self.folders, &mut Diagnostics::default())?;
        let field = match &location {
            StoreLocation::Database(_) => root.get("db"),
            StoreLocation::Cluster(_) => section(root, "cluster")?.get("dataDir"),
        }?;
        Some(NamedStore {
            path: field.path().clone(),
            place: field.place(),
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
