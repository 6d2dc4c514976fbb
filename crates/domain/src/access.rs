//! Access control: the requirement of an operation, the caller, and the proof that the caller meets
//! it.
//!
//! A use case takes a [`Permit`] for its own [`Action`]. [`Permit::request`] is the only
//! constructor, so an operation without a permission check does not compile.

use crate::clock::Timestamp;
use crate::ids::{ApiSessionId, IdentityId, Number, RequestId, SignerId};
use crate::peer::Peer;
use crate::permission::{Permission, PermissionSet, Subject, Verb};
use crate::terms::Terms;
use std::marker::PhantomData;
use std::net::IpAddr;
use std::sync::Arc;

/// The access level that an operation requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// No authentication; credentials are ignored.
    Public,
    /// A session, even with pending secondary factors.
    Partial,
    /// A session with all factors passed.
    Full,
    /// An administrator.
    Admin,
    /// An administrator, or the permission `admin_readonly`.
    AdminOrReadOnly,
    /// An administrator, or a permission that grants the verb on the subject.
    Granted(Subject, Verb),
    /// An administrator, or a permission on the subject itself that grants the verb;
    /// `admin_readonly` does not count.
    GrantedByName(Subject, Verb),
}

/// Authentication level of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Primary authentication is done; a secondary factor is pending.
    Partial,
    /// All factors that the authentication policy requires are passed.
    Full,
}

/// Source of a request, for the audit trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub request: RequestId,
    /// Address of the client.
    pub address: IpAddr,
}

/// A verified token of an external signer, used as a second factor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    pub signer: SignerId,
    /// Trust generation of the signer under which it was verified.
    pub terms: Terms,
    /// The claim value that identifies its holder.
    pub holder: String,
}

impl Access {
    /// The requirement in words, for error messages.
    pub fn demand(self) -> String {
        match self {
            Self::Public | Self::Partial => "a session".to_owned(),
            Self::Full => "a session with all factors passed".to_owned(),
            Self::Admin => "an administrator".to_owned(),
            Self::AdminOrReadOnly => {
                "an administrator, or the permission admin_readonly".to_owned()
            },
            Self::Granted(subject, verb) | Self::GrantedByName(subject, verb) => {
                let permission = Permission::One(subject, verb);
                format!("an administrator, or the permission {permission}")
            },
        }
    }
}

/// The authenticated caller of a request: an identity and one of its sessions.
#[derive(Debug, Clone)]
pub struct Caller {
    pub origin: Origin,
    pub identity: IdentityId,
    /// Number of the identity's record.
    pub identity_number: Number,
    pub session: ApiSessionId,
    /// Number of the session's record.
    pub session_number: Number,
    /// The verified second-factor token of the request, if the policy requires one.
    pub proof: Option<Proof>,
    pub standing: Standing,
    /// When a factor was last passed on the session.
    pub last_factor_at: Timestamp,
    /// Includes the default administrator.
    pub is_admin: bool,
    /// Permissions of a non-administrator.
    pub permissions: PermissionSet,
}

impl Caller {
    /// The peer that is charged for the request.
    pub fn peer(&self) -> Peer {
        Peer::Identity(self.identity_number)
    }

    /// Whether the caller meets the requirement `access`.
    ///
    /// Permissions and administrator rights count only in a full session.
    pub fn may(&self, access: Access) -> bool {
        let full = self.standing == Standing::Full;
        match access {
            Access::Public | Access::Partial => true,
            Access::Full => full,
            Access::Admin => full && self.is_admin,
            Access::AdminOrReadOnly => {
                full && (self.is_admin || self.permissions.reads_everything())
            },
            Access::Granted(subject, verb) => {
                full && (self.is_admin || self.permissions.grants(subject, verb))
            },
            Access::GrantedByName(subject, verb) => {
                full && (self.is_admin || self.permissions.grants_by_name(subject, verb))
            },
        }
    }
}

/// An operation, as a type.
pub trait Action: Send + Sync + 'static {
    /// The required access level.
    const ACCESS: Access;
}

/// The caller lacks the required access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("permission denied")]
pub struct Denied;

/// Proof that a caller may perform the action `A`.
#[derive(Debug)]
pub struct Permit<A> {
    caller: Arc<Caller>,
    action: PhantomData<fn() -> A>,
}

impl<A> Clone for Permit<A> {
    fn clone(&self) -> Self {
        Self {
            caller: Arc::clone(&self.caller),
            action: PhantomData,
        }
    }
}

impl<A: Action> Permit<A> {
    /// Issues the permit if the caller meets the requirement of the action.
    ///
    /// # Errors
    ///
    /// [`AccessDeniedError`] otherwise.
    pub fn request(caller: Arc<Caller>) -> Result<Self, Denied> {
        if caller.may(A::ACCESS) {
            Ok(Self {
                caller,
                action: PhantomData,
            })
        } else {
            Err(Denied)
        }
    }

    pub fn caller(&self) -> &Caller {
        &self.caller
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    enum ReadIdentities {}
    impl Action for ReadIdentities {
        const ACCESS: Access = Access::Granted(Subject::Identity, Verb::Read);
    }

    fn caller(standing: Standing, is_admin: bool, permissions: &[&str]) -> Arc<Caller> {
        Arc::new(Caller {
            origin: Origin {
                request: RequestId::from_wire("r"),
                address: IpAddr::from([127, 0, 0, 1]),
            },
            identity: IdentityId::from_wire("i"),
            identity_number: Number(1),
            session: ApiSessionId::from_wire("s"),
            session_number: Number(1),
            proof: None,
            standing,
            last_factor_at: Timestamp::UNIX_EPOCH,
            is_admin,
            permissions: PermissionSet::from_names(permissions).unwrap(),
        })
    }

    #[test]
    fn partial_session_uses_no_permission() {
        for caller in [
            caller(Standing::Partial, true, &[]),
            caller(Standing::Partial, false, &["identity", "admin_readonly"]),
        ] {
            assert!(caller.may(Access::Partial));
            for access in [
                Access::Full,
                Access::Admin,
                Access::AdminOrReadOnly,
                Access::Granted(Subject::Identity, Verb::Read),
                Access::GrantedByName(Subject::Identity, Verb::Read),
            ] {
                assert!(!caller.may(access), "{access:?}");
            }
        }
    }

    #[test]
    fn full_session_may_do_what_its_identity_may() {
        let accesses = [
            Access::Full,
            Access::Admin,
            Access::AdminOrReadOnly,
            Access::Granted(Subject::Identity, Verb::Read),
            Access::GrantedByName(Subject::Identity, Verb::Read),
        ];
        for (is_admin, permissions, may) in [
            (true, &[][..], [true; 5]),
            (false, &[], [true, false, false, false, false]),
            (false, &["admin_readonly"], [true, false, true, true, false]),
            (false, &["identity.read"], [true, false, false, true, true]),
            (false, &["service"], [true, false, false, false, false]),
        ] {
            let caller = caller(Standing::Full, is_admin, permissions);
            let found = accesses.map(|access| caller.may(access));
            assert_eq!(found, may, "{is_admin}, {permissions:?}");
        }
    }

    #[test]
    fn demand_names_the_permission_that_would_do() {
        let access = Access::Granted(Subject::Identity, Verb::Read);
        let demand = "an administrator, or the permission identity.read";
        assert_eq!(access.demand(), demand);
    }

    #[test]
    fn reading_everything_is_no_permission_by_name() {
        let access = Access::GrantedByName(Subject::Ops, Verb::Read);
        for (permission, may) in [
            ("admin_readonly", false),
            ("ops.delete", false),
            ("ops.read", true),
            ("ops", true),
        ] {
            let caller = caller(Standing::Full, false, &[permission]);
            assert_eq!(caller.may(access), may, "{permission}");
        }
    }

    #[test]
    fn permit_is_given_to_those_who_may() {
        assert!(Permit::<ReadIdentities>::request(caller(Standing::Full, true, &[])).is_ok());
        assert!(
            Permit::<ReadIdentities>::request(caller(Standing::Full, false, &["identity.read"]))
                .is_ok()
        );
        assert!(
            Permit::<ReadIdentities>::request(caller(Standing::Full, false, &["service"])).is_err()
        );
    }
}
