//! From the kind of a record to the type of its entity.

use super::kind::{
    API_SESSION, AUTH_POLICY, AUTHENTICATOR, CA, ENROLLMENT, Entity, IDENTITY, MFA,
    SESSION_CERTIFICATE, SIGNER, StoredEnrollment, StoredMfa,
};
use crate::key::Kind;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::ca::Ca;
use portcullis_domain::identity::Identity;
use portcullis_domain::session_certificate::SessionCertificate;
use portcullis_domain::signer::Signer;

/// Every kind of record.
pub(super) const KINDS: [Kind; 9] = [
    IDENTITY,
    AUTH_POLICY,
    ENROLLMENT,
    AUTHENTICATOR,
    API_SESSION,
    CA,
    SIGNER,
    SESSION_CERTIFICATE,
    MFA,
];

/// Something that is done with a record, whatever its type.
pub(super) trait ForEntity {
    /// What comes of it.
    type Output;

    /// Does it with a record of the type `E`.
    fn run<E: Entity>(self) -> Self::Output;
}

/// Does something with a record of `kind`; `None` for a kind that is not known.
pub(super) fn dispatch<F: ForEntity>(kind: Kind, work: F) -> Option<F::Output> {
    Some(match kind {
        IDENTITY => work.run::<Identity>(),
        AUTH_POLICY => work.run::<AuthPolicy>(),
        ENROLLMENT => work.run::<StoredEnrollment>(),
        AUTHENTICATOR => work.run::<Authenticator>(),
        API_SESSION => work.run::<ApiSession>(),
        CA => work.run::<Ca>(),
        SIGNER => work.run::<Signer>(),
        SESSION_CERTIFICATE => work.run::<SessionCertificate>(),
        MFA => work.run::<StoredMfa>(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct KindOf;
    impl ForEntity for KindOf {
        type Output = Kind;
        fn run<E: Entity>(self) -> Kind {
            E::KIND
        }
    }

    #[test]
    fn every_kind_leads_to_its_own_type() {
        for kind in KINDS {
            assert_eq!(dispatch(kind, KindOf), Some(kind));
        }
        assert_eq!(dispatch(Kind::of::<0xEE>(), KindOf), None);
    }
}
