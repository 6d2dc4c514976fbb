//! Enrollment tokens for holders of CA certificates.

use crate::app::App;
use crate::error::AppError;
use crate::managed::{self, Read};
use portcullis_domain::access::Permit;
use portcullis_domain::ca::CaSpec;
use portcullis_domain::ids::CaId;
use portcullis_pki::EnrollmentClaims;

/// Signs the token by which clients with certificates of an authority find the network. It is not a
/// secret and never expires; enrollment is authorized when it is used.
pub fn token(app: &App, _permit: &Permit<Read<CaSpec>>, id: &CaId) -> Result<String, AppError> {
    let ca = managed::get::<CaSpec>(app.snapshot()?.rows(), id)?.entity;
    let network = app.network();
    let issuer = format!("{}/", network.issuer());
    let claims = EnrollmentClaims::certificate_authority(&issuer, ca.id.as_str());
    let signer = &network.serving_state().jwt_signer;
    signer.sign(&claims).map_err(AppError::internal)
}
