//! Names that stand for addresses (RFC 1035, section 3.5, and RFC 3596, section 2.5).

use portcullis_tunnel_config::HostName;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address whose reverse name this is.
pub(crate) fn address_of(name: &HostName) -> Option<IpAddr> {
    let name = name.as_str();
    if let Some(octets) = name.strip_suffix(".in-addr.arpa") {
        return v4(octets).map(IpAddr::V4);
    }
    v6(name.strip_suffix(".ip6.arpa")?).map(IpAddr::V6)
}

fn v4(octets: &str) -> Option<Ipv4Addr> {
    let mut address = [0; 4];
    let mut labels = octets.rsplit('.');
    for octet in &mut address {
        let label = labels.next()?;
        *octet = label.parse().ok()?;
        // Another spelling, such as `01`, is another name.
        if octet.to_string() != label {
            return None;
        }
    }
    labels.next().is_none().then(|| address.into())
}

fn v6(digits: &str) -> Option<Ipv6Addr> {
    let mut bits: u128 = 0;
    let mut count = 0;
    for label in digits.rsplit('.') {
        let mut characters = label.chars();
        let digit = characters.next()?.to_digit(16)?;
        count += 1;
        if characters.next().is_some() || count > 32 {
            return None;
        }
        bits = bits << 4 | u128::from(digit);
    }
    (count == 32).then(|| Ipv6Addr::from_bits(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverse_names_are_those_of_addresses() {
        let of = |name: &str| address_of(&HostName::new(name).expect("a name"));
        let v6 = format!("1.{}8.b.d.0.1.0.0.2.ip6.arpa", "0.".repeat(23));
        for (name, address) in [
            ("2.0.64.100.in-addr.arpa", Some("100.64.0.2")),
            ("2.0.64.100.IN-ADDR.arpa.", Some("100.64.0.2")),
            (&*v6, Some("2001:db8::1")),
            ("02.0.64.100.in-addr.arpa", None),
            ("+2.0.64.100.in-addr.arpa", None),
            ("256.0.64.100.in-addr.arpa", None),
            ("0.64.100.in-addr.arpa", None),
            ("1.2.0.64.100.in-addr.arpa", None),
            ("in-addr.arpa", None),
            ("8.b.d.0.1.0.0.2.ip6.arpa", None),
            (&format!("0.{v6}"), None),
            (&v6.replacen('1', "11", 1), None),
            (&v6.replacen('1', "g", 1), None),
            ("wiki.corp", None),
        ] {
            let address = address.map(|address| address.parse().expect("an address"));
            assert_eq!(of(name), address, "{name}");
        }
    }
}
