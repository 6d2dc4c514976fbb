//! MAC addresses.

use portcullis_domain::posture::Report;
use std::collections::BTreeSet;
use std::fs;

/// Where Linux shows the interfaces of the network namespace.
const INTERFACES: &str = "/sys/class/net";

/// The MAC addresses of all interfaces that have one.
pub(super) fn addresses() -> Vec<String> {
    let interfaces = fs::read_dir(INTERFACES).into_iter().flatten().flatten();
    let addresses =
        interfaces.filter_map(|one| fs::read_to_string(one.path().join("address")).ok());
    let addresses = addresses.map(|address| address.trim().to_owned());
    let found: BTreeSet<_> = addresses.filter(|address| is_mac(address)).collect();
    found.into_iter().take(Report::MAX_ADDRESSES).collect()
}

/// Whether an address is one of six bytes; that of the loopback interface is zero.
fn is_mac(address: &str) -> bool {
    let bytes = address.split(':').map(|byte| u8::from_str_radix(byte, 16));
    let bytes: Vec<_> = bytes.map_while(Result::ok).collect();
    bytes.len() == 6 && address.len() == 17 && bytes.iter().any(|byte| *byte != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_hardware_count() {
        for (address, is_one) in [
            ("00:11:22:aa:bb:cc", true),
            ("00:00:00:00:00:00", false),
            ("", false),
            ("0.0.0.0", false),
            ("80:00:02:08:fe:80:00:00", false),
        ] {
            assert_eq!(is_mac(address), is_one, "{address}");
        }
    }
}
