//! Hosts, ranges of IP addresses and network interfaces.

use std::net::IpAddr;

/// Whether a text is a host name or an IP address; an IPv6 address may have a zone.
pub(crate) fn is_host(text: &str) -> bool {
    let bare = text.split('%').next().unwrap_or_default();
    if bare.parse::<IpAddr>().is_ok() {
        return true;
    }
    let name = text.strip_suffix('.').unwrap_or(text);
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    let only_digits = name.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    name.len() <= 253 && !only_digits && name.split('.').all(label)
}

/// Whether a host is an unspecified address, which nobody can dial.
pub(crate) fn is_unspecified(host: &str) -> bool {
    host.parse::<IpAddr>()
        .is_ok_and(|address| address.is_unspecified())
}

/// Whether a text is an IP address with a prefix length.
pub(crate) fn is_range(text: &str) -> bool {
    let Some((address, bits)) = text.rsplit_once('/') else {
        return false;
    };
    let most = match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    let plain =
        bits.bytes().all(|b| b.is_ascii_digit()) && (bits.len() == 1 || !bits.starts_with('0'));
    plain && bits.parse::<u32>().is_ok_and(|bits| bits <= most)
}

/// Linux limits the length of interface names and forbids whitespace, slashes and colons in them.
pub(crate) fn could_be_interface(name: &str) -> bool {
    if let Ok(address) = name.parse::<IpAddr>() {
        return !address.is_unspecified();
    }
    let forbidden = |c: char| c.is_whitespace() || c == '/' || c == ':';
    (1..=15).contains(&name.len()) && !name.contains(forbidden) && name != "." && name != ".."
}
