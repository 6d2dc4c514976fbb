//! What other routers do and this one does not.

use portcullis_router_config::model::RouterConfig;
use portcullis_router_config::{Diagnostic, Finding, KeyPath, Severity, Source};
use portcullis_yaml::SourceLocation;

/// The router has no such listener.
const UNSUPPORTED: &str = "unsupported";

/// Refuses tunnels: a router that left them out would seem to work, and reach nothing.
pub(super) fn check(config: &RouterConfig) -> Vec<Finding> {
    let entries = (0..).zip(&config.listeners);
    let bindings = entries.filter_map(|(index, entry)| Some((index, entry.binding.as_ref()?)));
    let tunnels = bindings.filter(|(_, binding)| binding.value == "tunnel");
    let found = tunnels.map(|(index, binding): (usize, _)| {
        let place = match &binding.source {
            Source::File(place) | Source::Environment(place, _) => *place,
            Source::Default | Source::Derived(_) => SourceLocation::default(),
        };
        let path = KeyPath::root().key("listeners").index(index).key("binding");
        let message = "this router has no tunnel yet";
        let mut diagnostic = Diagnostic::new(Severity::Error, UNSUPPORTED, path, place, message);
        diagnostic.help(
            "remove the listener, and run a tunneler beside the router; `config generate edge --tunnel none` \
             writes a file without it",
        );
        Finding {
            diagnostic,
            effect: None,
        }
    });
    found.collect()
}
