//! The controllers of a network.

use crate::identity::EdgeIdentity;
use crate::options::SessionOptions;
use portcullis_client::{BuildError, Client, ClientCertificate, Trust, Url};

/// A controller, without a session.
#[derive(Debug)]
pub(crate) struct Controller {
    pub(crate) url: Url,
    pub(crate) client: Client,
}

/// The controllers of an identity, in the order in which they are tried.
pub(crate) fn controllers(
    identity: &EdgeIdentity,
    options: &SessionOptions,
) -> Result<Vec<Controller>, BuildError> {
    let controllers = identity.controllers.iter().map(|url| {
        let authorities = identity.authorities.iter();
        let trust = Trust::anchors(authorities.map(|one| one.as_rustls().clone()));
        let mut builder = Client::builder(url, trust).timeout(options.request_timeout);
        if let Some(credential) = &identity.certificate {
            builder = builder.certificate(ClientCertificate {
                chain: credential.chain.clone(),
                key: credential.key.clone_key(),
            });
        }
        Ok(Controller {
            url: url.clone(),
            client: builder.build()?,
        })
    });
    controllers.collect()
}
