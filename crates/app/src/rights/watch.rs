//! Which rights in use have to be judged again after a commit.
//!
//! Most commits take nothing away: logins, activity, entities that nobody uses. What a commit has
//! changed is noted first, which costs little; only if it can have taken something away, the rights in
//! use are looked through, and those that it concerns are judged. What ends with a session or an identity
//! concerns the rights of one identity, and no others have to be looked through for it.

use super::in_use::{Depth, judge_each};
use super::losses::Losses;
use super::{RightInUse, Verdict};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::change::Change;
use portcullis_domain::ids::{ApiSessionId, IdentityId};
use std::collections::BTreeSet;

/// Notes what commits may have taken away, until it is judged.
#[derive(Debug)]
pub struct RightsWatch {
    noted: Losses,
    /// Number of the last change of grants that was judged.
    grants: u64,
}

/// Whose rights may have to be judged again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concerned {
    Anybody,
    Only(BTreeSet<IdentityId>),
}

/// How a right is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Concern {
    None,
    Routes,
    All,
    /// It is over, whatever the records say.
    Over,
}

impl RightsWatch {
    /// Watches from now on. Rights that were granted before are not judged by it until something
    /// concerns them.
    pub fn new(app: &App) -> Self {
        app.posture.watch();
        Self {
            noted: Losses::default(),
            grants: app.projections().grant_changes(),
        }
    }

    /// Notes what a commit has changed; the read model has to have it already, as with the groups of
    /// [`ChangeFeed`](crate::change_feed::ChangeFeed).
    pub fn note(&mut self, changes: &[Change]) {
        for change in changes {
            self.noted.add(change);
        }
    }

    /// Notes whose posture has changed since the last call; see [`posture_changed`].
    pub fn note_posture(&mut self, app: &App) {
        self.noted.identities.extend(app.posture.take_changed());
    }

    /// Notes that anything may have changed, since not all commits are known.
    pub fn note_everything(&mut self) {
        self.noted.everything = true;
    }

    /// Whether nothing was noted that can have taken anything away.
    pub fn is_quiet(&self) -> bool {
        self.noted.is_empty()
    }

    /// Whose rights may be concerned by what was noted; those of others stay as they are.
    ///
    /// The revocation of an identity concerns rights that [`judge_again`](super::judge_again) does not end, so
    /// that all have to be looked through for it, also those that are not in use yet.
    pub fn concerned(&self, app: &App) -> Concerned {
        let noted = &self.noted;
        if noted.everything
            || noted.grants
            || noted.routes
            || !noted.services.is_empty()
            || !noted.routers.is_empty()
            || !noted.revoked_tokens.is_empty()
            || !noted.revoked_identities.is_empty()
        {
            return Concerned::Anybody;
        }
        let projections = app.projections();
        let catalog = projections.identities();
        let identities = noted.identities.iter().map(|number| {
            let id = catalog.id(catalog.slot(*number)?)?;
            Some(IdentityId::from_wire(id))
        });
        let revoked = noted.revoked_sessions.iter().map(|id| {
            let ended = noted.ended.get(id).cloned();
            let session = || {
                Some(
                    projections
                        .sessions()
                        .find_by_id(id.as_str())?
                        .record
                        .identity
                        .clone(),
                )
            };
            ended.or_else(session)
        });
        let ended = noted.ended.values().cloned().map(Some);
        let all = ended.chain(identities).chain(revoked);
        // Who is not there any more cannot be told from others.
        all.collect::<Option<_>>()
            .map_or(Concerned::Anybody, Concerned::Only)
    }

    /// Judges those of the rights in use that are concerned by what was noted; returns their positions
    /// with the verdicts. All others stay as they are.
    ///
    /// # Errors
    ///
    /// What the store reports; what was noted stays noted.
    pub fn judge(
        &mut self,
        app: &App,
        rights: &[RightInUse],
    ) -> Result<Vec<(usize, Verdict)>, AppError> {
        let until = app.projections().grant_changes();
        let mut judged = Vec::new();
        let (mut by_routes, mut by_all) = (Vec::new(), Vec::new());
        for (place, right) in rights.iter().enumerate() {
            match self.concern(app, right, until) {
                Concern::None => {},
                Concern::Routes => by_routes.push((place, right)),
                Concern::All => by_all.push((place, right)),
                Concern::Over => judged.push((place, Verdict::Ended)),
            }
        }
        judged.extend(judge_places(app, &by_all, Depth::Full)?);
        let by_routes = judge_places(app, &by_routes, Depth::Permissions)?;
        judged.extend(by_routes.filter(|(_place, verdict)| *verdict == Verdict::Ended));
        self.noted = Losses::default();
        self.grants = until;
        Ok(judged)
    }

    fn concern(&self, app: &App, right: &RightInUse, until: u64) -> Concern {
        let noted = &self.noted;
        let mut tokens = right.tokens.iter();
        if tokens.any(|token| noted.revoked_tokens.contains(token)) {
            return Concern::Over;
        }
        if right.session.as_ref().is_some_and(|session| {
            noted.ended.contains_key(session)
                || noted.revoked_sessions.contains(session)
                || (noted.revoked_identities.contains(&right.identity)
                    && is_signed_for(app, session))
        }) {
            return Concern::Over;
        }
        if noted.everything
            || noted.services.contains(&right.service)
            || noted.routers.contains(&right.router)
            || self.concerns_identity(app, &right.identity, until)
        {
            Concern::All
        } else if noted.routes {
            Concern::Routes
        } else {
            Concern::None
        }
    }

    fn concerns_identity(&self, app: &App, id: &IdentityId, until: u64) -> bool {
        if self.noted.identities.is_empty() && !self.noted.grants {
            return false;
        }
        let identity = app.projections().identities().find_by_id(id.as_str());
        // Who is not there any more has no rights.
        identity.is_none_or(|identity| {
            self.noted.identities.contains(&identity)
                || (self.noted.grants
                    && app
                        .projections()
                        .grants_changed(identity, self.grants, until))
        })
    }
}

/// Waits until posture was reported that [`RightsWatch::note_posture`] does not know of yet.
pub async fn posture_changed(app: &App) {
    app.posture.changed().await;
}

fn judge_places(
    app: &App,
    rights: &[(usize, &RightInUse)],
    depth: Depth,
) -> Result<impl Iterator<Item = (usize, Verdict)>, AppError> {
    let of: Vec<&RightInUse> = rights.iter().map(|(_place, right)| *right).collect();
    let verdicts = judge_each(app, &of, depth)?;
    let places: Vec<usize> = rights.iter().map(|(place, _right)| *place).collect();
    Ok(places.into_iter().zip(verdicts))
}

/// Whether signed tokens stand for a session, which revocations concern.
fn is_signed_for(app: &App, session: &ApiSessionId) -> bool {
    let sessions = app.projections().sessions();
    sessions
        .find_by_id(session.as_str())
        .is_none_or(|session| session.record.oidc.is_some())
}

#[cfg(test)]
mod tests;
