//! What a tunneler says at its start.

use crate::services::Known;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_program::output;
use portcullis_sdk::Services;
use portcullis_tunneler::ProxyRule;
use std::net::{IpAddr, SocketAddr};

/// Services that are named; further ones are counted.
const MAX_NAMED: usize = 10;

/// Says who has joined the network, and where.
pub(crate) fn joined(known: &Known, controller: &str) -> String {
    format!(
        "Joined the network of {controller} as {}.",
        known.identity.name
    )
}

/// Says what is hosted.
pub(crate) fn hosted(services: &Services) -> String {
    let hosted = services.iter().filter(|service| service.may_bind);
    let mut names: Vec<_> = hosted.map(|service| service.name.as_str()).collect();
    if names.is_empty() {
        return "No service is hosted: none is granted to the identity for hosting.".to_owned();
    }
    let further = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    let names = names.join(", ");
    match further {
        0 => format!("Services that are hosted: {names}."),
        _ => format!("Services that are hosted: {names}, and {further} more."),
    }
}

/// Says for each port what it leads to, or why it is closed.
pub(crate) fn ports(rules: &[ProxyRule], address: IpAddr, services: &Services) -> Vec<String> {
    let lines = rules.iter().map(|rule| {
        let name = &rule.service;
        let place = SocketAddr::new(address, rule.port.port);
        let protocol = rule.port.protocol;
        match services.get(name) {
            Some(service) if service.may_dial => {
                format!("{protocol} port {place} leads to {name}.")
            },
            Some(_) => format!(
                "{protocol} port {place} is closed: the identity may not dial the service {name}."
            ),
            None => format!(
                "{protocol} port {place} is closed until there is a service {name} for the identity."
            ),
        }
    });
    lines.collect()
}

/// Says what is intercepted, and what programs have to do for it.
pub(crate) fn intercepted(
    services: &Services,
    resolver: SocketAddr,
    name_range: IpNetwork,
) -> Vec<String> {
    let is_intercepted =
        |config: &str| ["intercept.v1", "ziti-tunneler-client.v1"].contains(&config);
    let dialed = services.iter().filter(|service| service.may_dial);
    let count = dialed
        .filter(|service| service.configs.keys().any(|config| is_intercepted(config)))
        .count();
    vec![
        format!(
            "Connections are intercepted for {}.",
            output::counted(count, "service")
        ),
        format!(
            "Names of services have addresses of {name_range}, which the name server at {resolver} knows: it has \
             to come first in /etc/resolv.conf."
        ),
    ]
}

/// Writes sentences to stdout.
pub(crate) fn tell(lines: impl IntoIterator<Item = String>) {
    for line in lines {
        output::print_message(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::tests::service;

    #[test]
    fn sentences_say_what_is_there_and_why_not() {
        let services =
            Services::from_iter([service("files", false, true), service("wiki", true, false)]);
        assert_eq!(hosted(&services), "Services that are hosted: files.");
        assert!(hosted(&Services::default()).starts_with("No service is hosted"));
        let rules = ["wiki:8080", "files:8081", "time:123:udp"];
        let rules = rules.map(|rule| rule.parse().expect("a rule"));
        assert_eq!(
            ports(&rules, [127, 0, 0, 1].into(), &services),
            [
                "tcp port 127.0.0.1:8080 leads to wiki.",
                "tcp port 127.0.0.1:8081 is closed: the identity may not dial the service files.",
                "udp port 127.0.0.1:123 is closed until there is a service time for the identity.",
            ]
        );
    }

    #[test]
    fn many_services_are_counted() {
        let many = (0..12).map(|number| service(&format!("s{number:02}"), false, true));
        let line = hosted(&many.collect());
        assert!(line.ends_with("s08, s09, and 2 more."), "{line}");
    }
}
