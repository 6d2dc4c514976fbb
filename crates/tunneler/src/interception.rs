//! The services whose connections are intercepted.

use crate::command::Command;
use crate::dial::NoDial;
use crate::mode::InterceptOptions;
use crate::rules::{InterceptRule, Rules};
use crate::service::ServiceId;
use portcullis_channel::Moment;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_name_server::{InterceptedNames, ReleasedName};
use portcullis_tunnel_config::{
    AddressPattern, Destination, HostName, Intercept, NameAddresses, Protocol,
};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

#[derive(Debug)]
pub(crate) struct Interception {
    names: InterceptedNames<ServiceId>,
    rules: Rules,
    /// The kernel may have to be told something.
    rules_changed: bool,
    /// Names that have no address any more, which nobody has been told.
    released: Vec<ReleasedName>,
    /// A destination may be that of another service.
    services_changed: bool,
}

/// Whom a connection that is intercepted belongs to.
#[derive(Debug)]
pub(crate) struct Intercepted<'i> {
    pub(crate) service: ServiceId,
    pub(crate) name: Option<&'i HostName>,
}

impl Interception {
    pub(crate) fn new(options: &InterceptOptions) -> Self {
        let addresses = NameAddresses::new(options.name_range);
        Self {
            names: InterceptedNames::new(addresses, options.name_limits),
            rules: Rules::default(),
            rules_changed: false,
            released: Vec::new(),
            services_changed: false,
        }
    }

    pub(crate) const fn names(&mut self) -> &mut InterceptedNames<ServiceId> {
        &mut self.names
    }

    /// Addresses that stand for names.
    pub(crate) const fn name_range(&self) -> IpNetwork {
        self.names.addresses().range()
    }

    /// What the kernel has been told.
    pub(crate) fn rules(&self) -> &[InterceptRule] {
        self.rules.told()
    }

    /// What is intercepted for a service from now on, and what was before.
    pub(crate) fn set(
        &mut self,
        service: &ServiceId,
        before: Option<&Intercept>,
        intercept: Option<&Intercept>,
    ) {
        if before == intercept {
            return;
        }
        // Names need the rules for their addresses, which are told with the first ones.
        self.rules_changed |= self.rules.told().is_empty() || !has_same_rules(before, intercept);
        self.services_changed = true;
        let released = match intercept {
            None => self.names.remove(service),
            Some(intercept) => self.names.insert(service.clone(), intercept),
        };
        self.released.extend(released);
    }

    /// Takes their addresses from names that have been idle, if names are short.
    pub(crate) fn release_idle_names(&mut self, now: Moment, is_in_use: impl Fn(IpAddr) -> bool) {
        let released = self.names.release_idle(now, is_in_use);
        self.released.extend(released);
    }

    /// What is to be done for these services.
    pub(crate) fn poll_command(
        &mut self,
        services: &BTreeMap<ServiceId, Intercept>,
    ) -> Option<Command> {
        if std::mem::take(&mut self.rules_changed) {
            let range = self.name_range();
            if let Some(change) = self.rules.change(range, services.values()) {
                return Some(Command::Intercept(change));
            }
        }
        if !self.released.is_empty() {
            let released = std::mem::take(&mut self.released);
            return Some(Command::ReleaseNames(released));
        }
        std::mem::take(&mut self.services_changed).then_some(Command::CheckFlows)
    }

    pub(crate) fn find(
        &self,
        protocol: Protocol,
        source: SocketAddr,
        destination: SocketAddr,
    ) -> Result<Intercepted<'_>, NoDial> {
        let addresses = self.names.addresses();
        let name = addresses.name_of(destination.ip());
        let wanted = match name {
            Some(name) => Destination::name(protocol, name.as_str(), destination.port()),
            // An address of the range that no name has any more is nobody's.
            None if addresses.range().contains(destination.ip()) => return Err(NoDial::NoService),
            None => Destination::ip(protocol, destination.ip(), destination.port()),
        };
        let interceptions = self.names.interceptions();
        let service = interceptions.find(&wanted, source.ip());
        Ok(Intercepted {
            service: service.cloned().ok_or(NoDial::NoService)?,
            name,
        })
    }
}

/// Whether the kernel intercepts the same for both. Names alone are nothing to it.
fn has_same_rules(before: Option<&Intercept>, after: Option<&Intercept>) -> bool {
    let rules = |intercept: Option<&Intercept>| {
        let intercept = intercept.filter(|intercept| networks(intercept).next().is_some())?;
        let networks: Vec<IpNetwork> = networks(intercept).collect();
        Some((
            networks,
            intercept.protocols.clone(),
            intercept.ports.clone(),
            intercept.sources.clone(),
        ))
    };
    rules(before) == rules(after)
}

/// The networks that are intercepted.
pub(crate) fn networks(intercept: &Intercept) -> impl Iterator<Item = IpNetwork> {
    let addresses = intercept.addresses.iter();
    addresses.filter_map(|address| match address {
        AddressPattern::Network(network) => Some(*network),
        AddressPattern::Name(_) | AddressPattern::Domain(_) | AddressPattern::AnyName => None,
    })
}
