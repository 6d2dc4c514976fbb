//! Whether the names of the controller are kept from routers as whoever wrote the file means it.

use crate::material::Named;
use crate::serve::hosts;
use portcullis_controller_config::{self as model, NamedHost, Outcome};
use portcullis_pki::{Certificate, ReservedNames};
use portcullis_yaml::{Diagnostic, Severity};

/// A host is shared that is not the controller's.
const IDLE_SHARED_HOST: &str = "idle-shared-host";
/// A certificate of the controller does not say which names are the controller's.
const WILDCARD_NAME: &str = "wildcard-name";

/// Finds shared hosts that need not be shared, and certificates with wildcards.
pub(super) fn check(outcome: &Outcome) -> Vec<Diagnostic> {
    let Some(config) = &outcome.config else {
        return Vec::new();
    };
    let identities = outcome.named.identities.iter();
    let served: Vec<_> = identities
        .flat_map(|identity| &identity.pairs)
        .filter_map(|pair| server_leaf(pair.cert.as_ref()?))
        .collect();
    let own = hosts::of(config);
    let leaves = served.iter().map(|(_, leaf)| leaf);
    let reserved = ReservedNames::new(own.names.iter().map(String::as_str), leaves, []);
    let shared = outcome.named.shared_hosts.iter();
    let idle = shared
        .filter(|shared| reserved.check(&shared.host).is_ok())
        .map(idle);
    let wildcards = served.iter().filter_map(|(at, leaf)| wildcard(at, leaf));
    idle.chain(wildcards).collect()
}

/// The certificate that a value names, if it is one for servers. What cannot be read is reported
/// elsewhere.
fn server_leaf(at: &model::Named) -> Option<(&model::Named, Certificate)> {
    let leaf = Named::of(at).certificates().ok()?.into_iter().next()?;
    leaf.is_for_servers().then_some((at, leaf))
}

fn idle(shared: &NamedHost) -> Diagnostic {
    let message = format!(
        "`{}` is not kept from routers, so it need not be shared",
        shared.host
    );
    let (path, place) = (shared.path.clone(), shared.place);
    let mut found = Diagnostic::new(Severity::Warning, IDLE_SHARED_HOST, path, place, message);
    found.help(
        "remove it, or write the host as the addresses in this file or the server certificate have it",
    );
    found
}

fn wildcard(at: &model::Named, leaf: &Certificate) -> Option<Diagnostic> {
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
