//! Names that services intercept, and the addresses that stand for them.

mod idle;

pub use idle::NameLimits;

use portcullis_channel::Moment;
use portcullis_tunnel_config::{
    AddressPattern, HostName, Intercept, Interceptions, NameAddresses, RangeExhausted,
};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// What services intercept, and the addresses that stand for names of theirs. `S` is what a service is known by.
///
/// A name gets its address when somebody first asks for it, and keeps it until no service intercepts it any more,
/// or it has been idle when [others need one](Self::release_idle).
#[derive(Debug, Clone)]
pub struct InterceptedNames<S> {
    interceptions: Interceptions<S>,
    addresses: NameAddresses,
    limits: NameLimits,
    /// Names that have an address, by [`place`], so that those of a domain are side by side.
    assigned: BTreeMap<String, AssignedName>,
}

#[derive(Debug, Clone)]
struct AssignedName {
    name: HostName,
    /// Nobody was to know or use its address after this, as far as is known.
    used: Moment,
}

/// The address of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameAddress {
    pub address: IpAddr,
    /// Whether the name has got it just now.
    pub is_new: bool,
}

/// A name that has no address any more, and the one that it had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedName {
    pub name: HostName,
    pub address: IpAddr,
}

/// Why an intercepted name gets no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAddress {
    #[error(transparent)]
    Range(#[from] RangeExhausted),
    #[error("{limit} names have addresses, and there may be no more")]
    TooManyNames { limit: usize },
}

impl<S: Clone + Ord> InterceptedNames<S> {
    pub fn new(addresses: NameAddresses, limits: NameLimits) -> Self {
        Self {
            interceptions: Interceptions::default(),
            addresses,
            limits,
            assigned: BTreeMap::new(),
        }
    }

    /// Adds what a service intercepts, in place of what it intercepted before. The answer is which names are no
    /// longer intercepted.
    pub fn insert(&mut self, service: S, intercept: &Intercept) -> Vec<ReleasedName> {
        let before = self.interceptions.addresses_of(&service).to_vec();
        self.interceptions.insert(service, intercept);
        self.release(&before)
    }

    /// Takes away what a service intercepts. The answer is which names are no longer intercepted.
    pub fn remove(&mut self, service: &S) -> Vec<ReleasedName> {
        let before = self.interceptions.addresses_of(service).to_vec();
        self.interceptions.remove(service);
        self.release(&before)
    }

    pub const fn interceptions(&self) -> &Interceptions<S> {
        &self.interceptions
    }

    pub const fn addresses(&self) -> &NameAddresses {
        &self.addresses
    }

    /// Names that have an address.
    pub fn len(&self) -> usize {
        self.assigned.len()
    }

    pub fn is_empty(&self) -> bool {
        self.assigned.is_empty()
    }

    /// The address of a name, which gets one if it has none, for somebody who may remember it so long. `None` if
    /// no service intercepts the name.
    ///
    /// # Errors
    ///
    /// If it has none and there is none left.
    pub fn resolve(
        &mut self,
        name: &HostName,
        remembered_until: Moment,
    ) -> Result<Option<NameAddress>, NoAddress> {
        if let Some(address) = self.addresses.address_of(name) {
            self.mark_used(name, remembered_until);
            return Ok(Some(NameAddress {
                address,
                is_new: false,
            }));
        }
        if !self.interceptions.has_name(name) {
            return Ok(None);
        }
        let limit = self.limits.max_names;
        if self.assigned.len() >= limit && !self.interceptions.has_exact_name(name) {
            return Err(NoAddress::TooManyNames { limit });
        }
        let address = self.addresses.hold(name)?;
        let assigned = AssignedName {
            name: name.clone(),
            used: remembered_until,
        };
        self.assigned.insert(place(name), assigned);
        Ok(Some(NameAddress {
            address,
            is_new: true,
        }))
    }

    /// Gives back the addresses of the names that these patterns stood for, unless others do, too.
    fn release(&mut self, patterns: &[AddressPattern]) -> Vec<ReleasedName> {
        let assigned = patterns
            .iter()
            .flat_map(|pattern| self.assigned_of(pattern));
        let mut names: Vec<HostName> = assigned
            .filter(|name| !self.interceptions.has_name(name))
            .cloned()
            .collect();
        names.sort_unstable();
        names.dedup();
        let mut released = Vec::with_capacity(names.len());
        for name in names {
            released.extend(self.take_address(name));
        }
        released
    }

    fn take_address(&mut self, name: HostName) -> Option<ReleasedName> {
        let address = self.addresses.address_of(&name)?;
        self.addresses.release(&name);
        self.assigned.remove(&place(&name));
        Some(ReleasedName { name, address })
    }

    /// Names with an address that a pattern stands for.
    fn assigned_of(&self, pattern: &AddressPattern) -> impl Iterator<Item = &HostName> {
        let (name, is_domain) = match pattern {
            AddressPattern::Name(name) => (Some(name), false),
            AddressPattern::Domain(domain) => (Some(domain), true),
            // Interceptions have no `*`.
            AddressPattern::Network(_) | AddressPattern::AnyName => (None, false),
        };
        let of_name = move |first: String| {
            let within = format!("{first}{SEPARATOR}");
            let from_first = self.assigned.range(first.clone()..);
            from_first
                .take_while(move |(place, _)| {
                    **place == first || is_domain && place.starts_with(&within)
                })
                .map(|(_, assigned)| &assigned.name)
        };
        name.map(place).into_iter().flat_map(of_name)
    }
}

/// Before every character that a name may have, so that a domain is followed by its names.
const SEPARATOR: char = '\0';

/// The labels of a name from the last to the first.
fn place(name: &HostName) -> String {
    let mut place = String::with_capacity(name.as_str().len());
    for label in name.as_str().rsplit('.') {
        if !place.is_empty() {
            place.push(SEPARATOR);
        }
        place.push_str(label);
    }
    place
}

#[cfg(test)]
mod tests;
