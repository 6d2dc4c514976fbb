//! Checks of the names that are reserved for the controller.

use crate::pem::PemSetting;
use crate::serve::hosts;
use portcullis_controller_config::{
    self as model, IdentityReferences, ReadOutcome, SharedHostReference,
};
use portcullis_pki::{Certificate, ReservedNames};
use portcullis_yaml::{Diagnostic, Severity};

/// A shared host is not reserved for the controller.
const UNNEEDED_SHARED_HOST: &str = "idle-shared-host";
/// A wildcard certificate does not list the names of the controller.
const WILDCARD_NAME: &str = "wildcard-name";

/// Finds shared hosts that are not reserved, and wildcard certificates.
pub(super) fn check(outcome: &ReadOutcome) -> Vec<Diagnostic> {
    let Some(config) = &outcome.config else {
        return Vec::new();
    };
    let identities = outcome.references.identities.iter();
    let served: Vec<_> = identities
        .flat_map(IdentityReferences::pairs)
        .filter_map(|pair| server_leaf(pair.cert.as_ref()?))
        .collect();
    let own = hosts::own_hosts(config);
    let leaves = served.iter().map(|(_, leaf)| leaf);
    let reserved = ReservedNames::new(own.names.iter().map(String::as_str), leaves, []);
    let shared = outcome.references.shared_hosts.iter();
    let idle = shared
        .filter(|shared| reserved.check(&shared.host).is_ok())
        .map(unneeded_shared_host);
    let wildcards = served
        .iter()
        .filter_map(|(at, leaf)| wildcard_name(at, leaf));
    idle.chain(wildcards).collect()
}

/// The server certificate that a value references, if any. Read errors are reported elsewhere.
fn server_leaf(at: &model::PemReference) -> Option<(&model::PemReference, Certificate)> {
    let leaf = PemSetting::from_reference(at)
        .certificates()
        .ok()?
        .into_iter()
        .next()?;
    leaf.has_server_auth_usage().then_some((at, leaf))
}

fn unneeded_shared_host(shared: &SharedHostReference) -> Diagnostic {
    let message = format!(
        "`{}` is not kept from routers, so it need not be shared",
        shared.host
    );
    let (path, place) = (shared.path.clone(), shared.place);
    let mut found = Diagnostic::new(
        Severity::Warning,
        UNNEEDED_SHARED_HOST,
        path,
        place,
        message,
    );
    found.help(
        "remove it, or write the host as the addresses in this file or the server certificate have it",
    );
    found
}

fn wildcard_name(at: &model::PemReference, leaf: &Certificate) -> Option<Diagnostic> {
    let name = leaf.dns_names().find(|name| name.starts_with("*."))?;
    let message = format!(
        "the certificate is for `{name}`: a router can get a certificate for any host that this \
         covers, apart from those that this file and its certificates name"
    );
    let (path, place) = (at.path.clone(), at.place);
    let mut found = Diagnostic::new(Severity::Warning, WILDCARD_NAME, path, place, message);
    found.help(
        "name every host under which clients reach the controller: as alternative name of a served \
         certificate, or as `address` of a bind point",
    );
    Some(found)
}
