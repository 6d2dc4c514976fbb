//! Those whom the attacker would like to be, and what lets them in.

use crate::support::credentials::token_by;
use crate::support::idp::{Idp, patch_signer};
use crate::support::third_party::{self, Authority, common_name_claim};
use crate::support::{create, get, pending_enrollment};
use portcullis_domain::permission::Permission;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

/// What there is besides the network in which every kind of credential is outstanding.
pub(super) struct Prey {
    /// A session of an administrator who came by a certificate that names it.
    pub(super) session: String,
    /// Tokens of enrollments, with who is to redeem them.
    pub(super) enrollments: Vec<(Value, String)>,
}

impl Prey {
    pub(super) async fn new(controller: &Harness, admin: &str) -> Self {
        let boss = json!({"isAdmin": true, "externalId": "boss@example.test"});
        controller.create_user(admin, "boss", boss).await;
        let authority = Authority::root("corporate");
        let claim = common_name_claim();
        third_party::add(controller, admin, ("corporate", &authority), claim).await;
        let session = token_by(controller, &authority.chain("boss@example.test")).await;
        let everything: Vec<_> = Permission::grantable().map(|one| one.to_string()).collect();
        let mut enrollments = Vec::new();
        for (name, rights) in [
            ("waiting boss", json!({"isAdmin": true})),
            ("waiting warden", json!({"permissions": everything})),
        ] {
            let mut body = json!({"enrollment": {"ott": true}});
            crate::support::merge(&mut body, rights);
            let id = create(controller, admin, name, body).await;
            let pending = pending_enrollment(controller, admin, &id, "ott").await;
            let path = format!("/identities/{id}");
            let holder = get(controller, admin, &path).await.data();
            for member in ["token", "jwt"] {
                let secret = pending[member].as_str().unwrap().to_owned();
                enrollments.push((holder.clone(), secret));
            }
        }
        let idp = Idp::new(controller, "corporate");
        let told = json!({
            "externalAuthUrl": "https://login.example.test", "clientId": "portcullis",
        });
        idp.register(controller, admin, told).await;
        let idp = Idp::new(controller, "retired");
        let retired = idp.register(controller, admin, json!({})).await;
        let off = json!({"enabled": false});
        patch_signer(controller, admin, &retired, off).await.data();
        Self {
            session,
            enrollments,
        }
    }
}
