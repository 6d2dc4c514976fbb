//! Addresses at which a port is opened.

use std::io;
use std::net::IpAddr;

/// The addresses that a binding stands for: an address itself, or those of a network interface.
///
/// # Errors
///
/// If it is no address, and there is no such interface with one.
pub(super) fn addresses(binding: Option<&str>, default: IpAddr) -> io::Result<Vec<IpAddr>> {
    let Some(binding) = binding else {
        return Ok(vec![default]);
    };
    if let Ok(address) = binding.parse() {
        return Ok(vec![address]);
    }
    let interfaces = if_addrs::get_if_addrs()?;
    // Addresses of links need an interface beside them whenever they are used.
    let of_interface = interfaces
        .iter()
        .filter(|interface| interface.name == binding && !interface.is_link_local());
    let found: Vec<_> = of_interface.map(if_addrs::Interface::ip).collect();
    if found.is_empty() {
        let reason = format!(
            "`binding` must be an IP address or a network interface with one, and there is no interface {binding:?} with one"
        );
        return Err(io::Error::new(io::ErrorKind::AddrNotAvailable, reason));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn bindings_are_addresses_or_interfaces() {
        let default = IpAddr::from(Ipv4Addr::UNSPECIFIED);
        let found = |binding| addresses(binding, default);
        assert_eq!(found(None).unwrap(), [default]);
        assert_eq!(
            found(Some("::1")).unwrap(),
            ["::1".parse::<IpAddr>().unwrap()]
        );
        let localhost = IpAddr::from(Ipv4Addr::LOCALHOST);
        let interfaces = if_addrs::get_if_addrs().unwrap();
        let loopback = interfaces.iter().find(|one| one.ip() == localhost).unwrap();
        assert!(found(Some(&loopback.name)).unwrap().contains(&localhost));
        let error = found(Some("none such")).unwrap_err().to_string();
        assert!(error.ends_with("there is no interface \"none such\" with one"));
    }
}
