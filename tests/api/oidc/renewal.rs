//! Certificates that are renewed through the session that they opened.

use crate::support::credentials::with_certificate;
use crate::support::oidc::{Flow, Tokens, claims, oauth_error, request, with_form};
use crate::support::text;
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_pki::{Certificate, certificates_from_pem, certificates_to_pem};
use portcullis_testkit::{Harness, Reply, Request, client_key_and_csr};
use serde_json::{Value, json};

/// Somebody whose tokens are bound to a certificate.
struct Holder<'h> {
    controller: &'h Harness,
    tokens: Tokens,
}

impl<'h> Holder<'h> {
    /// Logs in with a certificate, and returns that as well.
    async fn log_in(controller: &'h Harness) -> (Self, Vec<Certificate>) {
        let admin = controller.admin().await;
        let (_, chain) = with_certificate(controller, &admin, "laptop").await;
        let flow = Flow::begin_with(controller, &[], &chain).await;
        flow.step("/login/cert", json!({})).await;
        let tokens = flow.tokens().await;
        (Self { controller, tokens }, chain)
    }

    fn request(&self, method: Method, path: &str, chain: &[Certificate]) -> Request<'h> {
        let request = self.controller.request(method, path).certificates(chain);
        request.header("authorization", &format!("Bearer {}", self.tokens.access))
    }

    /// The status of a request over a connection with these certificates.
    async fn status(&self, chain: &[Certificate]) -> u16 {
        let path = "/edge/client/v1/current-api-session";
        let reply = self.request(Method::GET, path, chain).send().await;
        reply.status.as_u16()
    }

    async fn refresh(&self, chain: &[Certificate]) -> Reply {
        let form = [
            ("grant_type", "refresh_token"),
            ("client_id", "native"),
            ("refresh_token", &*self.tokens.refresh),
        ];
        let request = request(self.controller, Method::POST, "/oauth/token");
        with_form(request.certificates(chain), &form).send().await
    }

    /// Has the certificate replaced that the session was opened with.
    async fn renew(&self, chain: &[Certificate]) -> Vec<Certificate> {
        let authenticator = claims(&self.tokens.access)["z_authid"].clone();
        let authenticator = authenticator.as_str().unwrap();
        let step = async |name: &str, body: Value| {
            let path =
                format!("/edge/client/v1/current-identity/authenticators/{authenticator}/{name}");
            let request = self.request(Method::POST, &path, chain).json(&body);
            request.send().await.data()
        };
        let (_key, csr) = client_key_and_csr();
        let issued = step("extend", json!({"clientCertCsr": csr})).await;
        let issued = certificates_from_pem(text(&issued, "clientCert")).unwrap();
        let confirmed = json!({"clientCert": certificates_to_pem(&issued)});
        step("extend-verify", confirmed).await;
        issued
    }
}

#[tokio::test]
async fn tokens_follow_the_certificate_of_their_login_through_all_renewals() {
    let controller = Harness::start().await;
    let (mut holder, first) = Holder::log_in(&controller).await;
    let second = holder.renew(&first).await;
    // Connections that are open still present the first one.
    assert_eq!(holder.status(&first).await, 200);
    assert_eq!(holder.status(&second).await, 200);
    let third = holder.renew(&second).await;
    let fourth = holder.renew(&third).await;
    assert_eq!(holder.status(&fourth).await, 200);
    assert_eq!(holder.status(&third).await, 200);
    holder.tokens = Tokens::of(&holder.refresh(&fourth).await);
    let told = claims(&holder.tokens.access);
    assert_eq!(told["z_acf"], fourth[0].fingerprint().to_string());
    assert_eq!(told["z_cfs"], json!([told["z_acf"]]));
    assert_eq!(holder.status(&fourth).await, 200);
}

/// A key that was replaced opens nothing for long, although nobody renews again.
#[tokio::test]
async fn replaced_certificate_counts_as_long_as_an_access_token_lasts() {
    let controller = Harness::start().await;
    let (mut holder, first) = Holder::log_in(&controller).await;
    let second = holder.renew(&first).await;
    controller.clock.advance(SignedDuration::from_mins(29));
    assert_eq!(holder.status(&first).await, 200);
    holder.tokens = Tokens::of(&holder.refresh(&first).await);
    assert_eq!(holder.status(&first).await, 200);
    controller.clock.advance(SignedDuration::from_mins(1));
    assert_eq!(holder.status(&first).await, 401);
    let refused = holder.refresh(&first).await;
    assert_eq!(oauth_error(&refused), (400, "access_denied".to_owned()));
    assert_eq!(holder.status(&second).await, 200);
    holder.tokens = Tokens::of(&holder.refresh(&second).await);
    assert_eq!(holder.status(&second).await, 200);
}

#[tokio::test]
async fn certificates_that_were_replaced_long_ago_or_are_of_others_open_nothing() {
    let controller = Harness::start().await;
    let (holder, first) = Holder::log_in(&controller).await;
    let admin = controller.admin().await;
    let (_, foreign) = with_certificate(&controller, &admin, "desktop").await;
    let second = holder.renew(&first).await;
    holder.renew(&second).await;
    for chain in [&*first, &*foreign, &[]] {
        assert_eq!(holder.status(chain).await, 401);
        let refused = holder.refresh(chain).await;
        assert_eq!(oauth_error(&refused), (400, "access_denied".to_owned()));
    }
}
