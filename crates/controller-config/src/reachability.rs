//! Advertised addresses that nobody else can use.

use std::net::IpAddr;

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostic, Diagnostics, Severity};

use crate::codes;
use crate::references::{AddressReference, BindPointReference, ExternalReferences};

/// Warns about addresses that lead clients or routers to themselves.
pub(crate) fn check(references: &ExternalReferences, diagnostics: &mut Diagnostics) {
    for point in &references.bind_points {
        let found = point.advertised.iter().filter_map(|advertised| {
            let misleading = misleading(point, advertised)?;
            Some(warning(advertised, &misleading))
        });
        diagnostics.extend(found);
    }
    if let Some(advertised) = &references.router_address
        && is_unspecified(&advertised.address.host)
    {
        diagnostics.extend([warning(advertised, &no_destination(advertised))]);
    }
}

/// What is wrong with an address that clients of a bind point are told, if anything.
fn misleading(point: &BindPointReference, advertised: &AddressReference) -> Option<String> {
    let host = &advertised.address.host;
    if is_unspecified(host) {
        return Some(no_destination(advertised));
    }
    let interface = &point.interface.as_ref()?.address;
    let is_misleading = is_loopback(host) && !is_loopback(&interface.host);
    is_misleading.then(|| {
        format!(
            "clients are told `{}`, which on every other machine is that machine itself, although \
             `{interface}` is open to them",
            advertised.address
        )
    })
}

fn no_destination(AddressReference { address, .. }: &AddressReference) -> String {
    format!("nobody can connect to `{address}`: it stands for all addresses of a machine")
}

fn warning(at: &AddressReference, message: &str) -> Diagnostic {
    let (path, place) = (at.path.clone(), at.place);
    let mut found = Diagnostic::new(
        Severity::Warning,
        codes::UNREACHABLE_ADDRESS,
        path,
        place,
        message,
    );
    let HostPort { port, .. } = at.address;
    found.help(format!(
        "write the name under which others reach this machine, like `ctrl.example.test:{port}`"
    ));
    found
}

fn is_unspecified(host: &str) -> bool {
    host.parse()
        .is_ok_and(|address: IpAddr| address.is_unspecified())
}

fn is_loopback(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host.trim_end_matches('.').eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use crate::codes::UNREACHABLE_ADDRESS;
    use crate::read;

    /// Warnings about a bind point, by path.
    fn warned(interface: &str, address: &str) -> Vec<String> {
        let text = format!(
            "v: 3\nweb:\n  - bindPoints:\n      - {{interface: '{interface}', address: '{address}'}}\n"
        );
        let found = read(&[&text], &|_| None).diagnostics.into_iter();
        let found = found.filter(|one| one.code == UNREACHABLE_ADDRESS);
        found.map(|one| one.path.to_string()).collect()
    }

    #[test]
    fn addresses_that_lead_elsewhere_are_pointed_out() {
        for (interface, address, is_wrong) in [
            ("0.0.0.0:1280", "localhost:1280", true),
            ("[::]:1280", "[::1]:1280", true),
            ("192.0.2.7:1280", "127.0.0.1:443", true),
            ("0.0.0.0:1280", "0.0.0.0:1280", true),
            ("127.0.0.1:1280", "[::]:1280", true),
            ("127.0.0.1:1280", "localhost:1280", false),
            ("localhost:1280", "127.0.0.1:1280", false),
            ("0.0.0.0:1280", "ctrl.example.test:1280", false),
        ] {
            let expected = if is_wrong {
                vec!["web[0].bindPoints[0].address".to_owned()]
            } else {
                Vec::new()
            };
            assert_eq!(
                warned(interface, address),
                expected,
                "{interface} {address}"
            );
        }
    }
}
