//! How a server is offered.

use crate::template::{Template, TemplateContext, TemplateError, TunnelerIdentity};
use portcullis_domain::identity::Precedence;
use std::time::Duration;

/// How a server is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenOptions {
    pub cost: Option<u16>,
    pub precedence: Option<Precedence>,
    pub identity: Option<ListenIdentity>,
    /// How long a connection to the server may take.
    pub connect_timeout: Duration,
    /// At how many routers an SDK offers the server.
    pub max_connections: Option<u32>,
}

/// The name by which this host is dialed, of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenIdentity {
    /// That of the tunneler's identity.
    OfTunneler,
    Named(Template),
}

const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

impl Default for ListenOptions {
    fn default() -> Self {
        Self {
            cost: None,
            precedence: None,
            identity: None,
            connect_timeout: DEFAULT_CONNECT_TIMEOUT,
            max_connections: None,
        }
    }
}

impl ListenOptions {
    /// Precedence and cost of the terminator: what the identity says of the service counts before what the
    /// service says, and this before what the identity says of all services.
    pub fn precedence_and_cost(
        &self,
        of_identity: (Precedence, u16),
        of_identity_for_service: (Option<Precedence>, Option<u16>),
    ) -> (Precedence, u16) {
        let (precedence, cost) = of_identity_for_service;
        let precedence = precedence.or(self.precedence);
        let cost = cost.or(self.cost);
        (
            precedence.unwrap_or(of_identity.0),
            cost.unwrap_or(of_identity.1),
        )
    }

    /// The name by which this host is dialed, if it has one. An empty name is none.
    ///
    /// # Errors
    ///
    /// If the configuration names app data that the identity does not have, or a connection.
    pub fn identity(&self, tunneler: &TunnelerIdentity) -> Result<Option<String>, TemplateError> {
        let name = match &self.identity {
            None => return Ok(None),
            Some(ListenIdentity::OfTunneler) => tunneler.name.clone(),
            Some(ListenIdentity::Named(template)) => {
                let context = TemplateContext {
                    tunneler,
                    connection: None,
                    destination_name: None,
                };
                template.fill(context)?
            },
        };
        Ok(Some(name).filter(|name| !name.is_empty()))
    }
}
