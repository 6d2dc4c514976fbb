//! Replacing the certificates of a router that controllers renew.

use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_domain::clock::Timestamp;
use portcullis_pki::{Certificate, SigningKey, certificates_from_pem};

use super::write::Staged;
use super::{IdentityError, IdentityFiles, KeyRole, NewIdentity};
use crate::certificate_request::CertificateRequest;
use crate::control::{CertificateRequests, RenewableIdentity};
use crate::tls::Tls;
use portcullis_domain::error_sources::with_sources;

/// The files of an identity, and TLS with what they contain.
pub(crate) struct RenewableFiles {
    files: IdentityFiles,
    request: CertificateRequest,
    router_id: String,
    tls: Arc<Tls>,
    staged: Mutex<Option<Staged>>,
    /// What an earlier run has staged, with TLS that shows it.
    left_over: Mutex<Option<(Arc<Tls>, Staged)>>,
}

impl RenewableFiles {
    /// What an earlier run has left beside the files is kept until a controller tells what counts.
    pub(crate) fn new(
        files: IdentityFiles,
        request: CertificateRequest,
        router_id: String,
        tls: Arc<Tls>,
    ) -> Self {
        let left_over = files.left_over().and_then(|left_over| {
            let is_own = left_over.loaded.router_id == router_id;
            match Tls::new(left_over.loaded.credentials) {
                Ok(tls) if is_own => Some((Arc::new(tls), left_over.staged)),
                Ok(_) | Err(_) => {
                    left_over.staged.discard();
                    None
                },
            }
        });
        Self {
            files,
            request,
            router_id,
            tls,
            staged: Mutex::new(None),
            left_over: Mutex::new(left_over),
        }
    }

    fn key(&self, role: KeyRole) -> Result<SigningKey, IdentityError> {
        let missing = || IdentityError::Missing {
            key: self.files.key_value(role).key_name().to_owned(),
        };
        self.files.key(role)?.ok_or_else(missing)
    }

    fn try_requests(&self) -> Result<CertificateRequests, IdentityError> {
        let request =
            |role| Ok::<_, IdentityError>(self.request.to_pem(&self.router_id, &self.key(role)?)?);
        // Certificates that nothing can be written to are better not asked for.
        self.files.draft()?;
        Ok(CertificateRequests {
            client: request(KeyRole::Client)?,
            server: request(KeyRole::Server)?,
        })
    }

    /// Writes the certificates aside, if they are for the keys of the router.
    fn write_aside(&self, client: &str, server: &str) -> Result<Staged, IdentityError> {
        for (role, chain) in [(KeyRole::Client, client), (KeyRole::Server, server)] {
            let key = self.key(role)?;
            let chain = certificates_from_pem(chain).unwrap_or_default();
            let certified = chain.first().and_then(|leaf| leaf.public_key().ok());
            if certified.as_ref() != Some(key.public_key()) {
                return Err(IdentityError::ForeignKey);
            }
        }
        Ok(self.files.draft()?.stage(&NewIdentity {
            certificate: client,
            server_certificate: server,
            authorities: None,
        })?)
    }

    fn put_in_place(&self, staged: Option<Staged>) -> Result<(), IdentityError> {
        if let Some(staged) = staged {
            staged.put_in_place()?;
        }
        let loaded = self.files.load()?;
        Ok(self.tls.replace(loaded.credentials)?)
    }
}

impl RenewableIdentity for RenewableFiles {
    fn validities(&self) -> Vec<(Timestamp, Timestamp)> {
        let Ok(chains) = self.files.chains() else {
            return Vec::new();
        };
        let leaves = chains.iter().filter_map(|chain| chain.first());
        let validity = |leaf: &Certificate| (leaf.not_before(), leaf.not_after());
        leaves.map(validity).collect()
    }

    fn requests(&self) -> Result<CertificateRequests, String> {
        self.try_requests().map_err(|error| with_sources(&error))
    }

    fn stage(&self, client_chain: &str, server_chain: &str) -> Result<(), String> {
        let staged = self.write_aside(client_chain, server_chain);
        let staged = staged.map_err(|error| with_sources(&error))?;
        *self.staged.lock() = Some(staged);
        Ok(())
    }

    fn commit(&self) -> Result<(), String> {
        let staged = self.staged.lock().take();
        self.put_in_place(staged)
            .map_err(|error| with_sources(&error))
    }

    fn left_over(&self) -> Option<Arc<Tls>> {
        let left_over = self.left_over.lock();
        left_over.as_ref().map(|(tls, _)| Arc::clone(tls))
    }

    fn settle(&self, is_left_over: bool) {
        let Some((_, staged)) = self.left_over.lock().take() else {
            return;
        };
        if !is_left_over {
            staged.discard();
            return;
        }
        match self.put_in_place(Some(staged)) {
            Ok(()) => tracing::info!("certificates that a renewal had left are used"),
            Err(error) => {
                let error = with_sources(&error);
                tracing::error!(error, "certificates that a renewal has left are not used");
            },
        }
    }
}

#[cfg(test)]
mod tests;
