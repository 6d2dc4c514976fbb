//! Access control: the requirement of an operation, the caller, and the proof that the caller meets
//! it.
//!
//! A use case takes a [`Permit`] for its own [`Action`]. [`Permit::request`] is the only
//! constructor, so an operation without a permission check does not compile.

use crate::clock::Timestamp;
use crate::ids::{ApiSessionId, IdentityId, RecordNumber, RequestId, SignerId};
use crate::oidc_session::{OidcClient, TokenId};
use crate::peer::Peer;
use crate::permission::{Permission, PermissionSet, Subject, Verb};
use crate::trust_generation::TrustGeneration;
use std::marker::PhantomData;
use std::net::{IpAddr, SocketAddr};
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
    GrantedExplicitly(Subject, Verb),
    /// An administrator, or the permission on the subject as a whole; one for a single verb does not
    /// count.
    GrantedWhole(Subject),
}

/// The APIs on which an action on managed entities is performed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiSurface {
    /// The client and management APIs.
    Edge,
    /// The fabric API, on which every action on managed entities is for administrators. What else
    /// it has, such as links and circuits, requires what the action itself does.
    Fabric,
}

/// Authentication level of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuthLevel {
    /// Primary authentication is done; a secondary factor is pending.
    Partial,
    /// All factors that the authentication policy requires are passed.
    Full,
}

/// Source of a request, for the audit trail and for events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub request: RequestId,
    /// Address and port of the client.
    pub peer: SocketAddr,
    /// Where the client has sent it, if that is known: the host and port that an HTTP request names, or the local
    /// address of a channel.
    pub target: Option<Arc<str>>,
    /// The method of an HTTP request.
    pub method: Option<&'static str>,
}

impl Origin {
    /// A request of which no more is known than who has sent it.
    pub const fn new(request: RequestId, peer: SocketAddr) -> Self {
        Self {
            request,
            peer,
            target: None,
            method: None,
        }
    }

    /// Address of the client.
    pub fn address(&self) -> IpAddr {
        self.peer.ip()
    }
}

/// A verified token of an external signer, used as a second factor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactorToken {
    pub signer: SignerId,
    /// Trust generation of the signer under which it was verified.
    pub terms: TrustGeneration,
    /// The claim value that identifies its holder.
    pub holder: String,
}

/// A verified access token, which stands for a session that an OIDC login opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    pub id: TokenId,
    pub client: OidcClient,
    pub issued_at: Timestamp,
    pub expires_at: Timestamp,
}

impl ApiSurface {
    /// The access that an action requires here, where `edge` is what it requires on the edge APIs.
    pub const fn access(self, edge: Access) -> Access {
        match self {
            Self::Edge => edge,
            Self::Fabric => Access::Admin,
        }
    }
}

impl Access {
    /// The requirement in words, for error messages.
    pub fn describe(self) -> String {
        match self {
            Self::Public | Self::Partial => "a session".to_owned(),
            Self::Full => "a session with all factors passed".to_owned(),
            Self::Admin => "an administrator".to_owned(),
            Self::AdminOrReadOnly => {
                "an administrator, or the permission admin_readonly".to_owned()
            },
            Self::Granted(subject, verb) | Self::GrantedExplicitly(subject, verb) => {
                let permission = Permission::One(subject, verb);
                format!("an administrator, or the permission {permission}")
            },
            Self::GrantedWhole(subject) => {
                let permission = Permission::All(subject);
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
    pub identity_number: RecordNumber,
    pub session: ApiSessionId,
    /// Number of the session's record.
    pub session_number: RecordNumber,
    /// The access token that the request presents, if an OIDC login opened the session.
    pub access_token: Option<AccessToken>,
    /// The verified second-factor token of the request, if the policy requires one.
    pub second_factor_token: Option<SecondFactorToken>,
    pub auth_level: AuthLevel,
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
    pub fn has_access(&self, access: Access) -> bool {
        let full = self.auth_level == AuthLevel::Full;
        match access {
            Access::Public | Access::Partial => true,
            Access::Full => full,
            Access::Admin => full && self.is_admin,
            Access::AdminOrReadOnly => full && (self.is_admin || self.permissions.can_read_all()),
            Access::Granted(subject, verb) => {
                full && (self.is_admin || self.permissions.grants(subject, verb))
            },
            Access::GrantedExplicitly(subject, verb) => {
                full && (self.is_admin || self.permissions.grants_explicitly(subject, verb))
            },
            Access::GrantedWhole(subject) => {
                full && (self.is_admin || self.permissions.grants_whole(subject))
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
pub struct AccessDeniedError;

/// Proof that a caller may perform the action `A`.
#[derive(Debug)]
pub struct Permit<A> {
    caller: Arc<Caller>,
    surface: ApiSurface,
    action: PhantomData<fn() -> A>,
}

impl<A> Clone for Permit<A> {
    fn clone(&self) -> Self {
        Self {
            caller: Arc::clone(&self.caller),
            surface: self.surface,
            action: PhantomData,
        }
    }
}

impl<A: Action> Permit<A> {
    /// Issues the permit if the caller meets the requirement of the action on `surface`.
    ///
    /// # Errors
    ///
    /// [`AccessDeniedError`] otherwise.
    pub fn request(surface: ApiSurface, caller: Arc<Caller>) -> Result<Self, AccessDeniedError> {
        let permit = Self {
            caller,
            surface,
            action: PhantomData,
        };
        permit.recheck(&permit.caller)?;
        Ok(permit)
    }

    /// Checks that `caller`, the one of the permit in its current state, still meets the
    /// requirement.
    ///
    /// # Errors
    ///
    /// [`AccessDeniedError`] otherwise.
    pub fn recheck(&self, caller: &Caller) -> Result<(), AccessDeniedError> {
        if caller.has_access(self.surface.access(A::ACCESS)) {
            Ok(())
        } else {
            Err(AccessDeniedError)
        }
    }

    pub const fn surface(&self) -> ApiSurface {
        self.surface
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

    fn caller(standing: AuthLevel, is_admin: bool, permissions: &[&str]) -> Arc<Caller> {
        Arc::new(Caller {
            origin: Origin::new(RequestId::from_wire("r"), ([127, 0, 0, 1], 1).into()),
            identity: IdentityId::from_wire("i"),
            identity_number: RecordNumber(1),
            session: ApiSessionId::from_wire("s"),
            session_number: RecordNumber(1),
            access_token: None,
            second_factor_token: None,
            auth_level: standing,
            last_factor_at: Timestamp::UNIX_EPOCH,
            is_admin,
            permissions: PermissionSet::from_names(permissions).unwrap(),
        })
    }

    #[test]
    fn partial_session_uses_no_permission() {
        for caller in [
            caller(AuthLevel::Partial, true, &[]),
            caller(AuthLevel::Partial, false, &["identity", "admin_readonly"]),
        ] {
            assert!(caller.has_access(Access::Partial));
            for access in [
                Access::Full,
                Access::Admin,
                Access::AdminOrReadOnly,
                Access::Granted(Subject::Identity, Verb::Read),
                Access::GrantedExplicitly(Subject::Identity, Verb::Read),
            ] {
                assert!(!caller.has_access(access), "{access:?}");
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
            Access::GrantedExplicitly(Subject::Identity, Verb::Read),
        ];
        for (is_admin, permissions, may) in [
            (true, &[][..], [true; 5]),
            (false, &[], [true, false, false, false, false]),
            (false, &["admin_readonly"], [true, false, true, true, false]),
            (false, &["identity.read"], [true, false, false, true, true]),
            (false, &["service"], [true, false, false, false, false]),
        ] {
            let caller = caller(AuthLevel::Full, is_admin, permissions);
            let found = accesses.map(|access| caller.has_access(access));
            assert_eq!(found, may, "{is_admin}, {permissions:?}");
        }
    }

    #[test]
    fn demand_names_the_permission_that_would_do() {
        let access = Access::Granted(Subject::Identity, Verb::Read);
        let demand = "an administrator, or the permission identity.read";
        assert_eq!(access.describe(), demand);
    }

    #[test]
    fn reading_everything_is_no_permission_by_name() {
        let access = Access::GrantedExplicitly(Subject::Ops, Verb::Read);
        for (permission, may) in [
            ("admin_readonly", false),
            ("ops.delete", false),
            ("ops.read", true),
            ("ops", true),
        ] {
            let caller = caller(AuthLevel::Full, false, &[permission]);
            assert_eq!(caller.has_access(access), may, "{permission}");
        }
    }

    #[test]
    fn permission_on_a_whole_subject_is_more_than_its_parts() {
        let access = Access::GrantedWhole(Subject::Ops);
        for (permissions, may) in [
            (&["ops"][..], true),
            (&["ops.read", "ops.update", "ops.delete"], false),
            (&["admin_readonly"], false),
            (&["router"], false),
        ] {
            let caller = caller(AuthLevel::Full, false, permissions);
            assert_eq!(caller.has_access(access), may, "{permissions:?}");
        }
        assert!(caller(AuthLevel::Full, true, &[]).has_access(access));
        assert!(!caller(AuthLevel::Partial, true, &["ops"]).has_access(access));
        let demand = "an administrator, or the permission ops";
        assert_eq!(access.describe(), demand);
    }

    #[test]
    fn permit_is_given_to_those_who_may() {
        for (is_admin, permissions, may) in [
            (true, &[][..], true),
            (false, &["identity.read"], true),
            (false, &["service"], false),
        ] {
            let caller = caller(AuthLevel::Full, is_admin, permissions);
            let permit = Permit::<ReadIdentities>::request(ApiSurface::Edge, caller);
            assert_eq!(permit.is_ok(), may, "{is_admin}, {permissions:?}");
        }
    }

    #[test]
    fn permit_for_the_fabric_is_given_to_administrators() {
        let request = |is_admin, permissions| {
            let caller = caller(AuthLevel::Full, is_admin, permissions);
            Permit::<ReadIdentities>::request(ApiSurface::Fabric, caller)
        };
        assert!(request(false, &["identity.read", "admin_readonly"]).is_err());
        let permit = request(true, &[]).unwrap();
        let demoted = caller(AuthLevel::Full, false, &["identity.read"]);
        assert!(permit.recheck(&demoted).is_err());
    }
}
