//! Changes of cost and precedence.

use super::claims::judge_tunneler;
use super::error::TerminatorError;
use super::offer::check_cost;
use super::own::find_own;
use super::{EDGE_BINDING, TUNNEL_BINDING};
use crate::app::App;
use crate::error::AppError;
use crate::rights::{self, NamedService, PresentedSession};
use crate::routers::{ConnectedRouter, find_connected};
use portcullis_domain::audit::Actor;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{IdentityId, ServiceId, TerminatorId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_storage::tables::{Found, reference};

/// What is to change about a terminator; `None` leaves it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Adjustment {
    pub cost: Option<u32>,
    pub precedence: Option<Precedence>,
}

/// Changes a terminator of a client, which has to host it itself.
///
/// # Errors
///
/// [`TerminatorError`].
pub async fn adjust_for_client(
    app: &App,
    router: &ConnectedRouter,
    presented: PresentedSession<'_>,
    id: &TerminatorId,
    adjustment: Adjustment,
) -> Result<(), TerminatorError> {
    let right = rights::judge(app, presented, ServiceGrant::Bind, router)?;
    let owner = Owner::Host {
        binding: EDGE_BINDING,
        identity: right.identity,
        service: Some(right.service.id),
    };
    adjust(app, router, owner, id, adjustment).await
}

/// Changes a terminator of the tunneler of the router.
///
/// # Errors
///
/// [`TerminatorError`].
pub async fn adjust_for_tunneler(
    app: &App,
    router: &ConnectedRouter,
    id: &TerminatorId,
    adjustment: Adjustment,
) -> Result<(), TerminatorError> {
    let service = find_own(app.snapshot()?.rows(), router, id)?
        .entity
        .spec
        .service;
    let right = judge_tunneler(app, router, NamedService::Id(&service))?;
    let owner = Owner::Host {
        binding: TUNNEL_BINDING,
        identity: right.identity,
        service: None,
    };
    adjust(app, router, owner, id, adjustment).await
}

/// Changes a terminator of the configuration of the router.
///
/// # Errors
///
/// [`TerminatorError`].
pub async fn adjust_configured(
    app: &App,
    router: &ConnectedRouter,
    id: &TerminatorId,
    adjustment: Adjustment,
) -> Result<(), TerminatorError> {
    adjust(app, router, Owner::Configuration, id, adjustment).await
}

/// Makes a terminator one that is used only when nothing else is left, after dials have failed.
pub async fn degrade(app: &App, id: &TerminatorId) -> Result<(), AppError> {
    let (id, now) = (id.clone(), app.env().now());
    app.commit(Actor::controller(), move |rows| {
        let found: Option<Found<Terminator>> = rows.rows().find(&reference(&id))?;
        let Some(found) = found else {
            return Ok(());
        };
        let mut after = found.entity.clone();
        if after.adjust(None, Some(Precedence::Failed), now) {
            rows.set_operation("terminator.degrade", id.as_str());
            rows.replace(&found.key, &found.entity, &after)?;
        }
        Ok(())
    })
    .await
}

/// To whom the terminator has to belong.
#[derive(Debug, Clone)]
enum Owner {
    Host {
        binding: &'static str,
        identity: IdentityId,
        /// The service that it may host; `None` for any.
        service: Option<ServiceId>,
    },
    Configuration,
}

impl Owner {
    fn owns(&self, terminator: &TerminatorSpec) -> bool {
        match self {
            Self::Host {
                binding,
                identity,
                service,
            } => {
                let host = terminator.host.as_ref().map(|host| &host.identity);
                terminator.binding == *binding
                    && host == Some(identity)
                    && service
                        .as_ref()
                        .is_none_or(|service| terminator.service == *service)
            },
            Self::Configuration => {
                ![EDGE_BINDING, TUNNEL_BINDING].contains(&terminator.binding.as_str())
            },
        }
    }
}

async fn adjust(
    app: &App,
    router: &ConnectedRouter,
    owner: Owner,
    id: &TerminatorId,
    adjustment: Adjustment,
) -> Result<(), TerminatorError> {
    let now = app.env().now();
    let cost = adjustment.cost.map(check_cost).transpose()?;
    let precedence = adjustment.precedence;
    let mut current = find_own(app.snapshot()?.rows(), router, id)?.entity;
    if !owner.owns(&current.spec) {
        return Err(TerminatorError::Unknown);
    }
    if !current.adjust(cost, precedence, now) {
        return Ok(());
    }
    app.router_limits.count_terminator(router.number(), now)?;
    let (router, id) = (router.clone(), id.clone());
    app.commit(router.actor(), move |rows| {
        find_connected(rows.rows(), &router)?;
        let found = find_own(rows.rows(), &router, &id)?;
        if !owner.owns(&found.entity.spec) {
            return Err(TerminatorError::Unknown);
        }
        let mut after = found.entity.clone();
        if after.adjust(cost, precedence, now) {
            rows.replace(&found.key, &found.entity, &after)
                .map_err(AppError::from)?;
        }
        Ok(())
    })
    .await
}
