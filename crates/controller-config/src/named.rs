//! What a file names outside itself, with the place where it does.

use portcullis_yaml::{Diagnostics, Field, KeyPath, Node, Place, Section};

use crate::folders::Folders;
use crate::identity::{Material, material};
use crate::store::{self, StoreLocation};

/// A value of the file that names a certificate or key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Key of the value.
    pub path: KeyPath,
    /// Where the value stands.
    pub place: Place,
    /// What it names.
    pub material: Material,
}

/// Certificate chain with its key, as far as the file names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedPair {
    /// Certificate chain.
    pub cert: Option<Named>,
    /// Key of `cert`.
    pub key: Option<Named>,
}

/// What a section `identity` names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedIdentity {
    /// Chains with their keys; one that serves two purposes stands here once.
    pub pairs: Vec<NamedPair>,
    /// Certificates to trust.
    pub ca: Option<Named>,
}

/// Where the data is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedStore {
    /// Key of the value.
    pub path: KeyPath,
    /// Where the value stands.
    pub place: Place,
    /// What it names.
    pub location: StoreLocation,
}

/// A host of the controller that routers may have in their certificates too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedHost {
    /// Key of the value.
    pub path: KeyPath,
    /// Where the value stands.
    pub place: Place,
    /// The host.
    pub host: String,
}

/// Everything that a file names outside itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedThings {
    /// Of the controller first, then of the listeners that have their own.
    pub identities: Vec<NamedIdentity>,
    /// Authority that signs the certificates of identities and routers.
    pub signing: NamedPair,
    /// Further certificates to hand to clients.
    pub signing_ca: Option<Named>,
    /// Place of the data.
    pub store: Option<NamedStore>,
    /// Hosts that the controller shares with routers.
    pub shared_hosts: Vec<NamedHost>,
}

/// Finds everything that can be found. What is wrong with the file is reported elsewhere.
pub(crate) fn collect(tree: &Node, folders: &Folders) -> NamedThings {
    let Some(root) = Section::root(tree, &mut Diagnostics::default()) else {
        return NamedThings::default();
    };
    let finder = Finder { folders };
    let own = section(&root, "identity").map(|section| finder.identity(&section));
    let enrollment = section(&root, "edge").and_then(|edge| section(&edge, "enrollment"));
    let signing = (enrollment.as_ref()).and_then(|at| section(at, "signingCert"));
    NamedThings {
        identities: own
            .into_iter()
            .chain(finder.identities_of_listeners(&root))
            .collect(),
        signing: NamedPair {
            cert: signing.as_ref().and_then(|at| finder.named(at, "cert")),
            key: signing.as_ref().and_then(|at| finder.named(at, "key")),
        },
        signing_ca: signing.as_ref().and_then(|at| finder.named(at, "ca")),
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

struct Finder<'folders> {
    folders: &'folders Folders,
}

impl Finder<'_> {
    fn identity(&self, at: &Section<'_>) -> NamedIdentity {
        let usual = NamedPair {
            cert: self.named(at, "cert"),
            key: self.named(at, "key"),
        };
        let server = NamedPair {
            cert: self.named(at, "server_cert").or_else(|| usual.cert.clone()),
            key: self.named(at, "server_key").or_else(|| usual.key.clone()),
        };
        let further = items(at, "alt_server_certs");
        let further = further.iter().filter_map(|item| {
            let at = item.section(&mut Diagnostics::default())?;
            Some(NamedPair {
                cert: self.named(&at, "server_cert"),
                key: self.named(&at, "server_key").or_else(|| usual.key.clone()),
            })
        });
        let further: Vec<_> = further.collect();
        let server = (server != usual).then_some(server);
        NamedIdentity {
            pairs: std::iter::once(usual)
                .chain(server)
                .chain(further)
                .collect(),
            ca: self.named(at, "ca"),
        }
    }

    fn identities_of_listeners(&self, root: &Section<'_>) -> Vec<NamedIdentity> {
        let of = |item: &Field<'_>| {
            let listener = item.section(&mut Diagnostics::default())?;
            Some(self.identity(&section(&listener, "identity")?))
        };
        items(root, "web").iter().filter_map(of).collect()
    }

    fn named(&self, at: &Section<'_>, name: &str) -> Option<Named> {
        let field = at.get_non_null(name)?;
        Some(Named {
            material: material(&field, self.folders, &mut Diagnostics::default())?,
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
