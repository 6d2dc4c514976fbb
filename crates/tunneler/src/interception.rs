//! The services whose connections are intercepted.

use crate::dial::NoDial;
use crate::mode::InterceptOptions;
use crate::rules::{RuleChange, Rules};
use crate::service::ServiceId;
use portcullis_name_server::InterceptedNames;
use portcullis_tunnel_config::{
    Destination, HostName, Intercept, NameAddresses, Protocol, TemplateContext, TunnelerIdentity,
};
use std::collections::BTreeMap;
use std::net::SocketAddr;

#[derive(Debug)]
pub(crate) struct Interception {
    names: InterceptedNames<ServiceId>,
    services: BTreeMap<ServiceId, Intercept>,
    rules: Rules,
    /// The networks or the ports of a service have changed since the kernel was told.
    are_rules_old: bool,
}

/// What the configuration of the service says of a connection that is intercepted.
#[derive(Debug)]
pub(crate) struct Intercepted<'i> {
    pub(crate) service: &'i ServiceId,
    pub(crate) intercept: &'i Intercept,
    pub(crate) name: Option<&'i HostName>,
}

impl Interception {
    pub(crate) fn new(options: &InterceptOptions) -> Self {
        let addresses = NameAddresses::new(options.name_range);
        Self {
            names: InterceptedNames::with_max_names(addresses, options.max_names),
            services: BTreeMap::new(),
            rules: Rules::default(),
            are_rules_old: false,
        }
    }

    pub(crate) const fn names(&mut self) -> &mut InterceptedNames<ServiceId> {
        &mut self.names
    }

    /// What is intercepted for a service from now on.
    pub(crate) fn set(&mut self, service: &ServiceId, intercept: Option<Intercept>) {
        let before = self.services.get(service);
        if before == intercept.as_ref() {
            return;
        }
        self.are_rules_old = true;
        match intercept {
            None => {
                self.names.remove(service);
                self.services.remove(service);
            },
            Some(intercept) => {
                self.names.insert(service.clone(), &intercept);
                self.services.insert(service.clone(), intercept);
            },
        }
    }

    /// What the kernel has to be told.
    pub(crate) fn poll_change(&mut self) -> Option<RuleChange> {
        if !std::mem::take(&mut self.are_rules_old) {
            return None;
        }
        let range = self.names.addresses().range();
        self.rules.change(range, self.services.values())
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
        let (service, intercept) = service
            .and_then(|service| self.services.get_key_value(service))
            .ok_or(NoDial::NoService)?;
        Ok(Intercepted {
            service,
            intercept,
            name,
        })
    }
}

impl Intercepted<'_> {
    /// The host to dial and the source address to tell, of the connection from one address to another.
    pub(crate) fn fill(
        &self,
        tunneler: &TunnelerIdentity,
        connection: (SocketAddr, SocketAddr),
    ) -> Result<(Option<String>, Option<String>), NoDial> {
        let context = TemplateContext {
            tunneler,
            connection: Some(connection),
            destination_name: self.name.map(HostName::as_str),
        };
        let identity = self.intercept.dial_identity.as_ref();
        let source = self.intercept.source_address.as_ref();
        Ok((
            identity
                .map(|template| template.fill(context))
                .transpose()?,
            source.map(|template| template.fill(context)).transpose()?,
        ))
    }
}
