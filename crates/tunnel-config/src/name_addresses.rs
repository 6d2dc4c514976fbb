//! Addresses that stand for names.

use crate::address::HostName;
use portcullis_domain::ip_network::IpNetwork;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};

/// Addresses of a range that stand for names, one for each. A name keeps its address for as long as somebody
/// holds it; the address that was given back first is used again first, so that those who still know it by its
/// old name are the fewest.
#[derive(Debug, Clone)]
pub struct NameAddresses {
    range: IpNetwork,
    by_name: HashMap<HostName, Held>,
    names: BTreeMap<IpAddr, HostName>,
    /// The next address that has never been used.
    next: Option<IpAddr>,
    returned: VecDeque<IpAddr>,
}

#[derive(Debug, Clone, Copy)]
struct Held {
    address: IpAddr,
    holders: usize,
}

/// Every address of the range stands for a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("all addresses of {range} are in use; a larger range is needed")]
pub struct RangeExhausted {
    range: IpNetwork,
}

impl Default for NameAddresses {
    /// Addresses that providers share among their customers (RFC 6598).
    fn default() -> Self {
        Self::new(IpNetwork::new(IpAddr::V4(Ipv4Addr::new(100, 64, 0, 0)), 10))
    }
}

impl NameAddresses {
    /// The first address of a network, which has a meaning of its own, and the one after it, which is left to
    /// the tunneler, stand for no name.
    pub fn new(range: IpNetwork) -> Self {
        let first = successor(range.first()).and_then(successor);
        Self {
            range,
            by_name: HashMap::new(),
            names: BTreeMap::new(),
            next: first.filter(|address| range.contains(*address)),
            returned: VecDeque::new(),
        }
    }

    pub const fn range(&self) -> IpNetwork {
        self.range
    }

    /// Holds the address of a name, which gets one if it has none.
    ///
    /// # Errors
    ///
    /// If it has none and there is none left.
    pub fn hold(&mut self, name: &HostName) -> Result<IpAddr, RangeExhausted> {
        if let Some(held) = self.by_name.get_mut(name.as_str()) {
            held.holders += 1;
            return Ok(held.address);
        }
        let exhausted = RangeExhausted { range: self.range };
        let unused = self.take_unused().or_else(|| self.returned.pop_front());
        let address = unused.ok_or(exhausted)?;
        let held = Held {
            address,
            holders: 1,
        };
        self.by_name.insert(name.clone(), held);
        self.names.insert(address, name.clone());
        Ok(address)
    }

    /// Lets go of the address of a name. It is free when nobody holds it any more.
    pub fn release(&mut self, name: &HostName) {
        let Some(held) = self.by_name.get_mut(name.as_str()) else {
            return;
        };
        held.holders -= 1;
        if held.holders > 0 {
            return;
        }
        let address = held.address;
        self.by_name.remove(name.as_str());
        self.names.remove(&address);
        self.returned.push_back(address);
    }

    pub fn address_of(&self, name: &HostName) -> Option<IpAddr> {
        self.by_name.get(name.as_str()).map(|held| held.address)
    }

    /// Whether no more than a quarter of the range is left.
    pub fn is_short(&self) -> bool {
        let bits = if self.range.first().is_ipv4() {
            32
        } else {
            128
        };
        let host_bits = u32::from(bits - self.range.prefix());
        let of_range = 1_u128.checked_shl(host_bits).unwrap_or(u128::MAX);
        let usable = of_range.saturating_sub(2);
        4 * self.names.len() as u128 >= usable.saturating_mul(3)
    }

    pub fn name_of(&self, address: IpAddr) -> Option<&HostName> {
        self.names.get(&address.to_canonical())
    }

    fn take_unused(&mut self) -> Option<IpAddr> {
        let address = self.next?;
        let range = self.range;
        self.next = successor(address).filter(|next| range.contains(*next));
        Some(address)
    }
}

fn successor(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V4(address) => address
            .to_bits()
            .checked_add(1)
            .map(|bits| IpAddr::V4(bits.into())),
        IpAddr::V6(address) => address
            .to_bits()
            .checked_add(1)
            .map(|bits| IpAddr::V6(bits.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> HostName {
        HostName::new(text).expect("a name")
    }

    #[test]
    fn a_name_has_one_address_while_it_is_held() {
        let mut addresses = NameAddresses::default();
        let first = addresses.hold(&name("a.corp")).expect("an address");
        assert_eq!(first.to_string(), "100.64.0.2");
        assert_eq!(addresses.hold(&name("A.corp.")), Ok(first));
        let second = addresses.hold(&name("b.corp")).expect("an address");
        assert_ne!(first, second);
        assert_eq!(addresses.name_of(second), Some(&name("b.corp")));

        addresses.release(&name("a.corp"));
        assert_eq!(addresses.address_of(&name("a.corp")), Some(first));
        addresses.release(&name("a.corp"));
        assert_eq!(addresses.address_of(&name("a.corp")), None);
        assert_eq!(addresses.name_of(first), None);
        addresses.release(&name("a.corp"));
    }

    #[test]
    fn addresses_are_used_again_when_there_are_no_others() {
        let mut addresses = NameAddresses::new("192.0.2.0/30".parse().expect("a network"));
        let first = addresses.hold(&name("a")).expect("an address");
        addresses.release(&name("a"));
        let second = addresses.hold(&name("b")).expect("an address");
        assert_ne!(first, second);
        assert_eq!(addresses.hold(&name("c")), Ok(first));
        let error = addresses.hold(&name("d")).expect_err("none left");
        assert_eq!(
            error.to_string(),
            "all addresses of 192.0.2.0/30 are in use; a larger range is needed"
        );
    }

    #[test]
    fn a_range_is_short_when_a_quarter_is_left() {
        let mut addresses = NameAddresses::new("192.0.2.0/28".parse().expect("a network"));
        for number in 0..10 {
            addresses
                .hold(&name(&format!("n{number}")))
                .expect("an address");
            assert!(!addresses.is_short());
        }
        addresses.hold(&name("n10")).expect("an address");
        assert!(addresses.is_short());
        addresses.release(&name("n0"));
        assert!(!addresses.is_short());
        let all = NameAddresses::new("::/0".parse().expect("a network"));
        assert!(!all.is_short());
    }

    #[test]
    fn ranges_that_are_too_small_have_no_addresses() {
        for range in ["192.0.2.1/32", "255.255.255.254/31", "::/127"] {
            let mut addresses = NameAddresses::new(range.parse().expect("a network"));
            assert!(addresses.hold(&name("a")).is_err(), "{range}");
        }
    }
}
