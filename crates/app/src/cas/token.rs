//! The token that is handed to those who have certificates of an authority.

use super::{Read, find};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::CaId;
use portcullis_pki::EnrollmentClaims;

/// Signs the token by which clients with certificates of an authority find the network. It is no
/// secret and never expires; whether it leads to anything is decided when it is used.
pub fn token(app: &App, _permit: &Permit<Read>, id: &CaId) -> Result<String, AppError> {
    let ca = find(app.snapshot()?.rows(), id)?.entity;
    let network = app.network();
    let issuer = format!("{}/", network.issuer());
    let claims = EnrollmentClaims::certificate_authority(&issuer, ca.id.as_str());
    let signer = &network.served().jwt_signer;
    signer.sign(&claims).map_err(AppError::internal)
}
