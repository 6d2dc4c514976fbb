//! One dial, and how it may end.

use crate::group::{Grant, GroupId};
use crate::hello::{Accepted, GroupHello};
use crate::kind::Role;

/// A connection to be dialed.
#[derive(Debug)]
#[must_use = "no other connection is dialed before the outcome of this one is told"]
pub struct Dial {
    pub(super) role: Role,
    pub(super) hello: GroupHello,
}

/// Why a dial came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialFailure {
    /// There was no connection, or it broke before the listener closed it.
    Unreachable,
    /// The listener closed the connection without an answer.
    Closed,
    /// The listener answered that it does not want the connection.
    Rejected,
    /// The listener speaks other versions, [`VERSION`](crate::hello::VERSION) among them or not.
    OtherVersion {
        /// Whether it is among them.
        knows_ours: bool,
    },
}

/// The answer to a hello names another group than the hello. The connection has to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the listener's answer names another group, or another secret, than the hello")]
pub struct AnswerMismatch;

impl Dial {
    /// What the connection is for.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// What its hello says about the group.
    pub const fn hello(&self) -> &GroupHello {
        &self.hello
    }

    /// What an answer entitles to. It may leave out what the hello has said, but not change it.
    pub(super) fn join(&self, answer: &Accepted) -> Result<Grant, AnswerMismatch> {
        let sent = &self.hello;
        let is_kept = agree(sent.id.as_ref(), answer.group.as_ref())
            && agree(sent.secret.as_ref(), answer.secret.as_ref());
        if !is_kept {
            return Err(AnswerMismatch);
        }
        let id = sent.id.as_ref().or(answer.group.as_ref()).cloned();
        let secret = sent.secret.as_ref().or(answer.secret.as_ref()).cloned();
        Ok(match (id, secret) {
            (Some(id), Some(secret)) => Grant::grouped(id, secret),
            (id, _) => Grant::alone(id.unwrap_or_else(GroupId::unnamed)),
        })
    }
}

/// Whether two values are equal, if there are two.
fn agree<T: PartialEq>(sent: Option<&T>, answered: Option<&T>) -> bool {
    match (sent, answered) {
        (Some(sent), Some(answered)) => sent == answered,
        _ => true,
    }
}
