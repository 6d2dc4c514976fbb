//! Login with the certificate of the TLS connection.

use super::{Login, LoginError, NewSession, Way, open};
use crate::app::App;
use crate::network::{BadChain, GoodChain};
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, LoginCertificate, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::Number;
use portcullis_storage::tables::{Found, Index, Rows, RowsMut, UniqueValue, WriteError};

/// Logs in with the certificate of the TLS connection: the chain that the client presented, in DER,
/// the leaf whose key it has proved to hold first.
pub async fn with_certificate(
    app: &App,
    origin: &Origin,
    chain: &[&[u8]],
    login: Login,
) -> Result<NewSession, LoginError> {
    let chain = app.network().judge(chain).map_err(|bad| {
        LoginError::Refused(match bad {
            BadChain::Missing => "no certificate was presented",
            BadChain::Unreadable(_) => "the certificate cannot be read",
            BadChain::Foreign(_) => "the certificate is of another authority",
        })
    })?;
    let by_fingerprint = UniqueValue::new(
        Index::AuthenticatorFingerprint,
        chain.fingerprint.to_string(),
    );
    let authenticator = app
        .snapshot()
        .map_err(LoginError::Failed)?
        .rows()
        .find::<Authenticator>(&by_fingerprint)?
        .ok_or(LoginError::Refused("the certificate belongs to nobody"))?;
    let way = Certificate {
        authenticator,
        chain,
    };
    open(app, origin, way, login).await
}

/// A certificate that an authority vouches for.
#[derive(Clone)]
struct Certificate {
    authenticator: Found<Authenticator>,
    chain: GoodChain,
}

impl Certificate {
    fn credential(authenticator: &Authenticator) -> Option<&CertCredential> {
        match &authenticator.credential {
            Credential::Cert(cert) => Some(cert),
            Credential::Updb(_) => None,
        }
    }
}

impl Way for Certificate {
    fn identity(&self) -> Number {
        self.authenticator.root_number()
    }

    fn opened_by(&self) -> OpenedBy {
        OpenedBy::Authenticator(self.authenticator.entity.id.clone())
    }

    fn recheck(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError> {
        super::require_authenticator(identity)?;
        let current: Option<Authenticator> = rows.get(&self.authenticator.key)?;
        let fingerprint = self.chain.fingerprint.to_string();
        match current.as_ref().and_then(Self::credential) {
            Some(cert) if cert.fingerprint == fingerprint => Ok(()),
            _ => Err(LoginError::Refused("the certificate changed meanwhile")),
        }
    }

    fn admit(&self, policy: &AuthPolicy, now: Timestamp) -> Result<(), LoginError> {
        let rules = policy.primary.cert;
        if !rules.allowed {
            Err(LoginError::Refused(
                "the policy does not allow certificates",
            ))
        } else if !rules.allow_expired_certs && !self.chain.validity.contains(now) {
            Err(LoginError::Refused("the certificate is out of its time"))
        } else {
            Ok(())
        }
    }

    fn settle(
        &self,
        rows: &mut RowsMut<'_>,
        _identity: &mut Identity,
        session: &mut ApiSession,
    ) -> Result<(), WriteError> {
        session.certificate = Some(LoginCertificate {
            fingerprint: self.chain.fingerprint.to_string(),
            not_after: self.chain.validity.not_after,
            ca: None,
        });
        session.improper_client_cert_chain = self.chain.is_improper;
        let reached_root = !self.chain.is_improper;
        let Some(before) = rows.rows().get::<Authenticator>(&self.authenticator.key)? else {
            return Ok(());
        };
        let mut after = before.clone();
        if let Credential::Cert(cert) = &mut after.credential {
            session.is_cert_extendable = cert.is_issued_by_network;
            cert.last_login_reached_root = reached_root;
        }
        if after == before {
            Ok(())
        } else {
            rows.replace(&self.authenticator.key, &before, &after)
        }
    }
}
