//! Host names and IP addresses.

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
