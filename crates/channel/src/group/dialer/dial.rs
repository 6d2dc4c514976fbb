//! Dials and their outcomes.

use crate::channel_kind::Role;
use crate::group::{ChannelGrant, GroupId};
use crate::hello::{Accepted, GroupHello};

/// A connection to dial.
#[derive(Debug)]
#[must_use = "no other connection is dialed before the outcome of this one is told"]
pub struct Dial {
    pub(super) role: Role,
    pub(super) hello: GroupHello,
}

/// The reason why a dial failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialFailure {
    /// There was no connection, or it broke before the listener closed it.
    Unreachable,
    /// The listener closed the connection without an answer.
    Closed,
    /// The listener rejected the connection with an answer.
    Rejected,
    /// The listener speaks other versions, possibly including [`VERSION`](crate::hello::VERSION).
    UnsupportedVersion {
        /// Whether they include ours.
        includes_ours: bool,
    },
}

/// The answer to a hello names another group than the hello. The connection must be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the listener's answer names another group, or another secret, than the hello")]
pub struct AnswerMismatchError;

impl Dial {
    pub const fn role(&self) -> Role {
        self.role
    }

    /// The group part of its hello.
    pub const fn hello(&self) -> &GroupHello {
        &self.hello
    }

    /// The grant from an answer, which may omit what the hello contained, but not change it.
    pub(super) fn verify_answer(
        &self,
        answer: &Accepted,
    ) -> Result<ChannelGrant, AnswerMismatchError> {
        let sent = &self.hello;
        let is_kept = are_consistent(sent.id.as_ref(), answer.group.as_ref())
            && are_consistent(sent.secret.as_ref(), answer.secret.as_ref());
        if !is_kept {
            return Err(AnswerMismatchError);
        }
        let id = sent.id.as_ref().or(answer.group.as_ref()).cloned();
        let secret = sent.secret.as_ref().or(answer.secret.as_ref()).cloned();
        Ok(match (id, secret) {
            (Some(id), Some(secret)) => ChannelGrant::grouped(id, secret),
            (id, _) => ChannelGrant::ungrouped(id.unwrap_or_else(GroupId::unnamed)),
        })
    }
}

/// Whether two values are equal, if both are given.
fn are_consistent<T: PartialEq>(sent: Option<&T>, answered: Option<&T>) -> bool {
    match (sent, answered) {
        (Some(sent), Some(answered)) => sent == answered,
        _ => true,
    }
}
