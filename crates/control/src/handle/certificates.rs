//! Extension of a router's certificates over its channel.

use super::Handler;
use portcullis_app::routers::{self, ExtensionError, RouterCsrs};
use portcullis_channel::Frame;
use portcullis_domain::router::Confirmation;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::certificate::{
    CertificateVerification, ExtendCertificates, ExtendedCertificates, VerifyCertificates,
};
use std::sync::Arc;

impl Handler {
    /// The answer is a message of its own. There is none if the router gets no certificates: it asks
    /// again later.
    pub(super) fn handle_extend_certificates(&self, request: ExtendCertificates) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        self.later(async move {
            let confirmation = if request.needs_verification {
                Confirmation::Pending
            } else {
                Confirmation::Needless
            };
            let csrs = RouterCsrs {
                client_csr: request.client_csr,
                server_csr: request.server_csr,
            };
            let router = &session.router;
            match routers::extend_connected(&plane.app, router, csrs, confirmation).await {
                Ok(issued) => {
                    let answer = ExtendedCertificates {
                        client_chain: issued.client,
                        server_chain: issued.server,
                        ca_chain: String::new(),
                    };
                    session.send(&ControlMessage::ExtendedCertificates(answer));
                },
                Err(error) => {
                    tracing::warn!(router = %session.id(), %error, "the certificates of a router are not extended");
                },
            }
        });
    }

    pub(super) fn handle_verify_certificates(&self, frame: &Frame, request: VerifyCertificates) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        self.later(async move {
            let chain = &request.client_chain;
            let confirmed = routers::confirm_extension(&plane.app, &session.router, chain).await;
            session.reply_encoded(&reply_to, verification(&confirmed).to_message());
        });
    }
}

/// What a router is told of its new certificate.
fn verification(confirmed: &Result<(), ExtensionError>) -> CertificateVerification {
    match confirmed {
        Ok(()) => CertificateVerification::default(),
        Err(error) => CertificateVerification {
            code: error.code().to_owned(),
            reason: error.to_string(),
            cause: String::new(),
        },
    }
}
