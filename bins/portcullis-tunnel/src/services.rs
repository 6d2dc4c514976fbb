//! What the controller says of the identity and its services, as the tunnel is told it.

use portcullis_domain::identity::Precedence;
use portcullis_sdk::{
    ApiSession, Context, OwnIdentity, Service, Services, SessionError, SessionState,
};
use portcullis_tunnel::ServiceChange;
use portcullis_tunnel_config::TunnelerIdentity;
use portcullis_tunneler::{self as tunneler, HostingTerms};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// The identity and the services that it may use, as they change.
#[derive(Debug)]
pub(crate) struct Feed {
    identity: watch::Receiver<Option<Arc<OwnIdentity>>>,
    services: watch::Receiver<Option<Arc<Services>>>,
    state: watch::Receiver<SessionState>,
}

/// What there is at a time.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) identity: Arc<OwnIdentity>,
    pub(crate) services: Arc<Services>,
}

impl Feed {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            identity: context.session().own_identity(),
            services: context.services(),
            state: context.session_state(),
        }
    }

    /// Waits until all was read.
    ///
    /// # Errors
    ///
    /// If there is no session any more.
    pub(crate) async fn first(&mut self) -> Result<(Known, Arc<ApiSession>), SessionError> {
        loop {
            let session = self.state.borrow_and_update().open().cloned();
            if let Some(first) = self.known().zip(session) {
                return Ok(first);
            }
            self.changed().await?;
        }
    }

    /// Tells what changes, until there is no session any more, or nobody wants to know.
    pub(crate) async fn follow(mut self, changes: mpsc::Sender<ServiceChange>) -> SessionError {
        loop {
            if let Some(known) = self.known() {
                for change in known.changes() {
                    if changes.send(change).await.is_err() {
                        return SessionError::Closed;
                    }
                }
            }
            if let Err(error) = self.changed().await {
                return error;
            }
        }
    }

    fn known(&mut self) -> Option<Known> {
        let identity = self.identity.borrow_and_update().clone()?;
        let services = self.services.borrow_and_update().clone()?;
        Some(Known { identity, services })
    }

    async fn changed(&mut self) -> Result<(), SessionError> {
        let changed = tokio::select! {
            changed = self.identity.changed() => changed,
            changed = self.services.changed() => changed,
            changed = self.state.changed() => changed,
        };
        changed.map_err(|_ended| SessionError::Closed)?;
        match &*self.state.borrow_and_update() {
            SessionState::Refused(error) => Err(error.clone()),
            SessionState::Closed => Err(SessionError::Closed),
            _ => Ok(()),
        }
    }
}

impl Known {
    /// The tunnel finds out itself what of it is new.
    fn changes(&self) -> [ServiceChange; 2] {
        let (precedence, cost) = self.terms();
        let services = self.services.iter();
        let services = services.map(|service| tunneled(service, &self.identity));
        [
            ServiceChange::Identity {
                identity: self.tunneler_identity(),
                precedence,
                cost,
            },
            ServiceChange::All(services.collect()),
        ]
    }

    fn terms(&self) -> (Precedence, u16) {
        (self.identity.default_precedence, self.identity.default_cost)
    }

    pub(crate) fn tunneler_identity(&self) -> TunnelerIdentity {
        TunnelerIdentity {
            name: self.identity.name.clone(),
            app_data: texts(serde_json::to_value(&self.identity.app_data).unwrap_or_default()),
        }
    }
}

fn tunneled(service: &Service, identity: &OwnIdentity) -> tunneler::Service {
    let configs = service.configs.iter();
    let configs = configs.map(|(name, config)| {
        let config = Value::Object(config.as_ref().clone());
        (name.to_string(), config)
    });
    tunneler::Service {
        may_dial: service.may_dial,
        may_host: service.may_bind,
        is_encrypted: service.encryption_required,
        configs: configs.collect(),
        terms: HostingTerms {
            precedence: identity.precedences.get(&service.id).copied(),
            cost: identity.costs.get(&service.id).copied(),
        },
        ..tunneler::Service::new(service.id.to_string(), service.name.as_str())
    }
}

/// The members of an object, as templates show them.
fn texts(data: Value) -> BTreeMap<String, String> {
    let Value::Object(members) = data else {
        return BTreeMap::new();
    };
    let members = members.into_iter().map(|(name, value)| match value {
        Value::String(text) => (name, text),
        other => (name, other.to_string()),
    });
    members.collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use portcullis_domain::ids::{IdentityId, ServiceId};
    use serde_json::json;

    /// A service with this name and id.
    pub(crate) fn service(name: &str, may_dial: bool, may_bind: bool) -> Service {
        let config = json!({"protocol": "tcp", "address": "127.0.0.1", "port": 80});
        let Value::Object(config) = config else {
            unreachable!("an object was written")
        };
        Service {
            id: ServiceId::from_wire(name),
            name: name.to_owned(),
            may_dial,
            may_bind,
            encryption_required: true,
            configs: [("host.v1".into(), Arc::new(config))].into(),
            posture: Vec::new(),
        }
    }

    #[test]
    fn services_are_told_with_their_terms() {
        let service = service("wiki", true, false);
        let identity = OwnIdentity {
            id: IdentityId::from_wire("gate"),
            name: "gate".to_owned(),
            app_data: serde_json::from_value(json!({"site": "north", "floor": 3})).expect("data"),
            default_precedence: Precedence::Default,
            default_cost: 7,
            precedences: [(service.id.clone(), Precedence::Required)].into(),
            costs: BTreeMap::new(),
        };
        let known = Known {
            identity: Arc::new(identity),
            services: Arc::new([service].into_iter().collect()),
        };
        let [
            ServiceChange::Identity { identity, cost, .. },
            ServiceChange::All(services),
        ] = known.changes()
        else {
            panic!("the identity, then its services")
        };
        assert_eq!(cost, 7);
        assert_eq!(identity.app_data["site"], "north");
        assert_eq!(identity.app_data["floor"], "3");
        let [service] = services.as_slice() else {
            panic!("one service: {services:?}")
        };
        assert!(service.may_dial && !service.may_host && service.is_encrypted);
        assert_eq!(service.terms.precedence, Some(Precedence::Required));
        assert_eq!(service.configs["host.v1"]["port"], 80);
    }
}
