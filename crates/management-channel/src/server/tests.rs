use super::*;
use crate::queries::NoNetworkQueries;
use futures_util::StreamExt as _;
use http::Method;
use portcullis_app::sessions;
use portcullis_app::signers::BearerTokens;
use portcullis_domain::access::{ApiSurface, Caller, Origin};
use portcullis_domain::clock::{Clock as _, SignedDuration};
use portcullis_domain::ids::RequestId;
use portcullis_testkit::{ADMIN, Harness, PASSWORD, Reply};
use serde_json::json;
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::io::duplex;
use tokio::time::{self, sleep};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// Where logins lead.
const REDIRECT: &str = "http://localhost:8080/auth/callback";

// RFC 7636 appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// How late a channel may end in a test whose clock goes on by seconds.
const GRACE: SignedDuration = SignedDuration::from_secs(2);

/// A client of OpenID Connect.
struct Client<'h>(&'h Harness);

impl Client<'_> {
    async fn get(&self, path: &str) -> Reply {
        let request = self.0.request(Method::GET, &format!("/oidc{path}"));
        request
            .header("host", "ctrl.example.test:1280")
            .send()
            .await
    }

    /// Sends a form to the token endpoint; returns the access token and the refresh token.
    async fn tokens(&self, form: &str) -> (String, String) {
        let request = self.0.request(Method::POST, "/oidc/oauth/token");
        let request = request.header("host", "ctrl.example.test:1280");
        let form = format!("client_id=native&{form}");
        let reply = request.text("application/x-www-form-urlencoded", &form);
        let tokens = reply.send().await.json();
        let token = |name: &str| tokens[name].as_str().unwrap().to_owned();
        (token("access_token"), token("refresh_token"))
    }

    /// The tokens of a login of the administrator.
    async fn log_in(&self) -> (String, String) {
        let authorize = format!(
            "/authorize?client_id=native&response_type=code&scope=openid+offline_access\
             &code_challenge={CHALLENGE}&code_challenge_method=S256&redirect_uri={REDIRECT}"
        );
        let begun = self.get(&authorize).await;
        let id = parameter(&begun, "authRequestID");
        let request = self.0.request(Method::POST, "/oidc/login/password");
        let request = request.header("host", "ctrl.example.test:1280");
        let credentials = json!({"id": id, "username": ADMIN, "password": PASSWORD});
        let proved = request.json(&credentials).send().await;
        assert!(proved.status.is_redirection(), "{proved:?}");
        let called_back = self.get(&format!("/authorize/callback?id={id}")).await;
        let code = parameter(&called_back, "code");
        let form = format!(
            "grant_type=authorization_code&code={code}&code_verifier={VERIFIER}&redirect_uri={REDIRECT}"
        );
        self.tokens(&form).await
    }
}

/// A parameter of where a reply leads.
fn parameter(reply: &Reply, name: &str) -> String {
    let location = reply.headers["location"].to_str().unwrap();
    let (_, query) = location.split_once('?').unwrap();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let found = pairs.find(|(found, _)| *found == name);
    let (_, value) = found.unwrap_or_else(|| panic!("no {name} in {location}"));
    value.to_owned()
}

/// Whom an access token stands for, if it does for anybody.
async fn caller(controller: &Harness, token: &str) -> Option<Arc<Caller>> {
    let origin = Origin::new(RequestId::from_wire("r"), (Ipv4Addr::LOCALHOST, 1).into());
    let tokens = BearerTokens::new([token]);
    let resolved = sessions::resolve_bearer(&controller.app, tokens, &[], origin);
    resolved.await.unwrap().ok().map(|(caller, _)| caller)
}

#[tokio::test]
async fn channel_ends_with_its_access_token() {
    let controller = Box::pin(Harness::start()).await;
    let client = Client(&controller);
    let (access, refresh) = client.log_in().await;
    let holder = caller(&controller, &access).await.unwrap();
    let end = holder.access_token.as_ref().unwrap().expires_at;
    let channels = ManagementChannel::new(
        &controller.app,
        EventBus::default(),
        Arc::new(NoNetworkQueries),
        ChannelLimits::default(),
    );
    let permit = Permit::request(ApiSurface::Edge, holder).unwrap();
    let opened = channels.open(permit).unwrap();
    let (near, far) = duplex(16 * 1024);
    let serving = tokio::spawn(opened.serve(near, CancellationToken::new()));
    let mut socket = WebSocketStream::from_raw_socket(far, Role::Client, None).await;
    // Both clocks go on together, but for logins, which take their time.
    time::pause();
    let clock = Arc::clone(&controller.clock);
    let going_on = tokio::spawn(async move {
        loop {
            sleep(Duration::from_secs(1)).await;
            clock.advance(SignedDuration::from_secs(1));
        }
    });

    let Some(Ok(Message::Close(Some(frame)))) = socket.next().await else {
        panic!("it is not closed");
    };
    let late = controller.clock.now().duration_since(end);
    assert!((SignedDuration::ZERO..=GRACE).contains(&late), "{late:?}");
    assert_eq!(frame.code, CloseCode::Policy);
    assert_eq!(frame.reason.as_str(), Closing::NoRight.to_string());
    while let Some(Ok(_)) = socket.next().await {}
    serving.await.unwrap();
    going_on.abort();
    time::resume();
    assert_eq!(channels.count(), 0);
    assert!(caller(&controller, &access).await.is_none());

    // The session itself goes on, and opens another.
    let form = format!("grant_type=refresh_token&refresh_token={refresh}");
    let (renewed, _) = client.tokens(&form).await;
    let holder = caller(&controller, &renewed).await.unwrap();
    let permit = Permit::request(ApiSurface::Edge, holder).unwrap();
    assert!(channels.open(permit).is_some());
}
