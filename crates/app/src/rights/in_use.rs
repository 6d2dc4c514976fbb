//! Rights that circuits and terminators depend on, judged again while they are in use.
//!
//! Many are judged at a time, most of which share a service, a router, or a session; what they share
//! is worked out once. Rights come first, by the read model alone; sessions and posture follow.

mod permission;
mod standing;

use self::permission::{Permission, Permissions};
use self::standing::SessionJudge;
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ApiSessionId, IdentityId, RouterId, ServiceId};
use portcullis_domain::oidc_session::TokenId;
use portcullis_domain::policies::ServiceGrant;

/// Rights that are judged under one lock on the read model; commits of policies wait for it.
const BATCH: usize = 1024;

/// A right that somebody makes use of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RightInUse {
    pub identity: IdentityId,
    pub service: ServiceId,
    pub grant: ServiceGrant,
    /// The session of the client; `None` for a router itself, and where it is not known. Posture is not
    /// judged then.
    pub session: Option<ApiSessionId>,
    /// The ids (`jti`) of the signed tokens that the client showed. Revoking one of them ends the right,
    /// although the session may have others by now.
    pub tokens: Vec<TokenId>,
    /// The router through which the service is used.
    pub router: RouterId,
}

/// What has become of a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on.
    Stays {
        /// See [`Right::judge_again_at`](super::Right::judge_again_at).
        judge_again_at: Option<Timestamp>,
    },
    Ended,
}

/// Judges rights in use by the records as they are now; one verdict for each, in their order.
///
/// Whether all earlier tokens of an identity were revoked is not judged here, because a right does not
/// tell of when its token was; [`RightsWatch`](super::RightsWatch) ends such rights when the revocation
/// is committed.
///
/// Takes about six microseconds for each right.
pub fn judge_again(app: &App, rights: &[RightInUse]) -> Result<Vec<Verdict>, AppError> {
    let rights: Vec<&RightInUse> = rights.iter().collect();
    judge_each(app, &rights, Depth::Full)
}

/// How far rights are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// By policies and routers alone. What stays has no time then.
    Permissions,
    Full,
}

pub(super) fn judge_each(
    app: &App,
    rights: &[&RightInUse],
    depth: Depth,
) -> Result<Vec<Verdict>, AppError> {
    let view = app.snapshot()?;
    let now = app.env().now();
    let judge = SessionJudge::new(app, view.rows(), now);
    let mut order: Vec<usize> = (0..rights.len()).collect();
    // Those with much in common are judged together.
    order.sort_by_key(|place| {
        rights
            .get(*place)
            .map(|right| (&right.service, &right.router))
    });
    let mut verdicts = vec![Verdict::Ended; rights.len()];
    for batch in order.chunks(BATCH) {
        let permitted: Vec<(usize, &RightInUse, Permission)> = {
            let guard = app.require_lists()?.access();
            let permissions = Permissions::new(&guard);
            let batch = batch.iter().filter_map(|place| {
                let right = *rights.get(*place)?;
                Some((*place, right, permissions.find(right)?))
            });
            batch.collect()
        };
        for (place, right, permission) in permitted {
            let verdict = match depth {
                Depth::Permissions => Verdict::Stays {
                    judge_again_at: None,
                },
                Depth::Full => judge.judge(right, permission)?,
            };
            if let Some(of_right) = verdicts.get_mut(place) {
                *of_right = verdict;
            }
        }
    }
    Ok(verdicts)
}

#[cfg(test)]
mod tests;
