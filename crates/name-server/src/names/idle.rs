//! Names whose addresses nobody has used for a while.

use super::{AssignedName, InterceptedNames, ReleasedName, place};
use portcullis_channel::Moment;
use portcullis_tunnel_config::HostName;
use std::net::IpAddr;
use std::time::Duration;

/// How many names have an address, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameLimits {
    /// Names that may have an address at a time. Whoever may ask can have one for every name of a domain that is
    /// intercepted, and the usual range has room for four million; each takes about 500 bytes. Names that a service
    /// has itself get an address even if there are more.
    pub max_names: usize,
    /// How long nobody must have used a name before another one gets its address. Programs that keep addresses
    /// longer than they may are served for that long.
    pub idle_time: Duration,
}

impl Default for NameLimits {
    fn default() -> Self {
        Self {
            max_names: 65_536,
            idle_time: Duration::from_hours(1),
        }
    }
}

impl<S: Clone + Ord> InterceptedNames<S> {
    /// Somebody uses an address: a connection to it begins, or there has been one until now.
    pub fn touch(&mut self, address: IpAddr, now: Moment) {
        if let Some(name) = self.addresses.name_of(address).cloned() {
            self.mark_used(&name, now);
        }
    }

    /// Whether no more than a quarter of the names, or of the range, is left.
    pub fn is_short(&self) -> bool {
        let limit = self.limits.max_names;
        self.addresses.is_short()
            || self.assigned.len().saturating_mul(4) >= limit.saturating_mul(3)
    }

    /// Takes their addresses from names that have been idle, if names are [short](Self::is_short), from the one
    /// that was idle for longest until they are not. One that is in use is not idle.
    ///
    /// To be called now and then, such as once a minute. It looks at all names only if they are short.
    pub fn release_idle(
        &mut self,
        now: Moment,
        is_in_use: impl Fn(IpAddr) -> bool,
    ) -> Vec<ReleasedName> {
        let mut released = Vec::new();
        if !self.is_short() {
            return released;
        }
        let idle = self
            .assigned
            .values()
            .filter(|assigned| self.is_idle(assigned, now));
        let mut idle: Vec<(Moment, HostName)> = idle
            .map(|assigned| (assigned.used, assigned.name.clone()))
            .collect();
        idle.sort_unstable();
        for (_, name) in idle {
            if !self.is_short() {
                break;
            }
            let address = self.addresses.address_of(&name);
            if address.is_some_and(&is_in_use) {
                self.mark_used(&name, now);
            } else {
                released.extend(self.take_address(name));
            }
        }
        released
    }

    fn is_idle(&self, assigned: &AssignedName, now: Moment) -> bool {
        assigned.used + self.limits.idle_time <= now
    }

    pub(super) fn mark_used(&mut self, name: &HostName, until: Moment) {
        if let Some(assigned) = self.assigned.get_mut(&place(name)) {
            assigned.used = assigned.used.max(until);
        }
    }
}
