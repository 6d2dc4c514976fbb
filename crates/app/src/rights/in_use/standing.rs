//! Whether the session of a right is valid, and passes posture checks.

use super::permission::Permission;
use super::{RightInUse, Verdict};
use crate::app::App;
use crate::error::AppError;
use crate::memo::Memo;
use crate::posture::{GrantResolver, PolicySummary, PostureContext, machine_judge};
use crate::session_validity::{is_session_revoked, is_token_revoked};
use crate::sessions::{self, Standing};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ApiSessionId, RecordNumber, RouterId};
use portcullis_posture::MachineJudge;
use portcullis_storage::tables::{Rows, identity_key};
use std::rc::Rc;
use std::sync::Arc;

/// Judges sessions at one moment; each session, identity and policy once.
pub(super) struct SessionJudge<'a> {
    app: &'a App,
    rows: Rows<'a>,
    now: Timestamp,
    resolver: GrantResolver<'a>,
    sessions: Memo<ApiSessionId, Option<Rc<ValidSession>>>,
    /// Whether identities are disabled.
    disabled: Memo<RecordNumber, bool>,
    /// Who judges checks about machines for clients of a router.
    judges: Memo<RouterId, MachineJudge>,
    /// By session, who judges its machine, and policy: until when it passes.
    passes: Memo<(RecordNumber, MachineJudge, RecordNumber), Pass>,
}

/// A session that may be used.
struct ValidSession {
    number: RecordNumber,
    owner: RecordNumber,
    record: Arc<ApiSession>,
    standing: Standing,
}

/// Whether a session passes a policy.
#[derive(Debug, Clone, Copy)]
enum Pass {
    Failed,
    Until(Timestamp),
    Unlimited,
}

impl<'a> SessionJudge<'a> {
    pub(super) fn new(app: &'a App, rows: Rows<'a>, now: Timestamp) -> Self {
        Self {
            app,
            rows,
            now,
            resolver: GrantResolver::new(app),
            sessions: Memo::default(),
            disabled: Memo::default(),
            judges: Memo::default(),
            passes: Memo::default(),
        }
    }

    pub(super) fn judge(
        &self,
        right: &RightInUse,
        permission: Permission,
    ) -> Result<Verdict, AppError> {
        let Permission::Granted { identity, service } = permission else {
            return Ok(Verdict::Stays {
                judge_again_at: None,
            });
        };
        let Some(session) = &right.session else {
            return self.judge_identity(identity);
        };
        for token in &right.tokens {
            if is_token_revoked(self.rows, token.as_str())? {
                return Ok(Verdict::Ended);
            }
        }
        let session = self.find(session)?;
        let Some(session) = session.filter(|session| session.owner == identity) else {
            return Ok(Verdict::Ended);
        };
        let pass = self.best_pass(&session, service, right)?;
        let policies_end = match pass {
            Pass::Failed => return Ok(Verdict::Ended),
            Pass::Until(end) => Some(end),
            Pass::Unlimited => None,
        };
        let ends = [session.standing.ends_at, policies_end];
        Ok(Verdict::Stays {
            judge_again_at: ends.into_iter().flatten().min(),
        })
    }

    /// Judges an identity whose session is not known.
    fn judge_identity(&self, identity: RecordNumber) -> Result<Verdict, AppError> {
        let is_disabled = self.disabled.get_or_try_insert_with(identity, || {
            let found: Option<Arc<Identity>> = self.rows.get_shared(&identity_key(identity))?;
            Ok::<_, AppError>(found.is_none_or(|identity| identity.is_disabled(self.now)))
        })?;
        Ok(if is_disabled {
            Verdict::Ended
        } else {
            Verdict::Stays {
                judge_again_at: None,
            }
        })
    }

    fn find(&self, id: &ApiSessionId) -> Result<Option<Rc<ValidSession>>, AppError> {
        self.sessions.get_or_try_insert_with(id.clone(), || {
            let found = {
                let sessions = self.app.require_lists()?.sessions();
                let found = sessions.find_by_id(id.as_str());
                found.map(|found| (found.number, found.owner, Arc::clone(found.record)))
            };
            let Some((number, owner, record)) = found else {
                return Ok(None);
            };
            if record.oidc.is_some() && is_session_revoked(self.rows, id)? {
                return Ok(None);
            }
            let standing = sessions::standing(self.app, self.rows, (owner, &record), self.now)?;
            let complete = standing.filter(|standing| standing.is_complete);
            Ok(complete.map(|standing| {
                Rc::new(ValidSession {
                    number,
                    owner,
                    record,
                    standing,
                })
            }))
        })
    }

    /// The pass that lasts longest among those of the policies that grant a service.
    fn best_pass(
        &self,
        session: &ValidSession,
        service: RecordNumber,
        right: &RightInUse,
    ) -> Result<Pass, AppError> {
        if self.app.require_lists()?.posture_checks().is_empty() {
            return Ok(Pass::Unlimited);
        }
        let mut best = Pass::Failed;
        for policy in self.resolver.policies_between(session.owner, service)? {
            if policy.grant == right.grant {
                best = best.or_longer(self.pass(session, &policy, &right.router)?);
            }
        }
        Ok(best)
    }

    fn pass(
        &self,
        session: &ValidSession,
        policy: &PolicySummary,
        router: &RouterId,
    ) -> Result<Pass, AppError> {
        if !policy.has_checks() {
            return Ok(Pass::Unlimited);
        }
        let judge = self
            .judges
            .get_or_try_insert_with(router.clone(), || machine_judge(self.rows, router))?;
        let key = (session.number, judge, policy.number);
        self.passes.get_or_try_insert_with(key, || {
            let numbers = (session.owner, session.number);
            let context =
                PostureContext::for_session(self.app, self.rows, numbers, &session.record, judge)?;
            let Some(policy) = self.resolver.load(self.rows, policy)? else {
                return Ok(Pass::Failed);
            };
            let client = context.client();
            let verdict = policy.evaluate(&client, self.now);
            Ok(match verdict.ends_at() {
                _ if !verdict.is_passing() => Pass::Failed,
                Some(end) => Pass::Until(end),
                None => Pass::Unlimited,
            })
        })
    }
}

impl Pass {
    fn or_longer(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unlimited, _) | (_, Self::Unlimited) => Self::Unlimited,
            (Self::Until(one), Self::Until(another)) => Self::Until(one.max(another)),
            (Self::Until(end), Self::Failed) | (Self::Failed, Self::Until(end)) => Self::Until(end),
            (Self::Failed, Self::Failed) => Self::Failed,
        }
    }
}
