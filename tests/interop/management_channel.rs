//! The management channel of a real controller, by a client of `WebSockets`.

use crate::oidc_kills::access_token;
use crate::overlay::Overlay;
use crate::overlay::place::Place;
use crate::overlay::router::RouterProgram;
use futures_util::{SinkExt as _, StreamExt as _};
use http::{HeaderName, HeaderValue};
use portcullis_channel::{ContentType, Frame, FrameLimits, FrameReader, Message, Sequence};
use portcullis_testkit::tls_client::{Client, Stream};
use portcullis_wire::management::{
    Found, InspectRequest, ManagementMessage, RouterFilter, StreamEvents, StreamTraces,
    ValidateDataModel,
};
use portcullis_wire::trace::PipeTraces;
use serde_json::{Value, json};
use std::time::Duration;
use support::tools::are_available;
use support::{Api, Controller, TestDirectory, Tool};
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message as SocketMessage};

const PATH: &str = "/fabric/v1/ws-api";

/// How long a channel may outlive its right.
const GRACE: Duration = Duration::from_secs(1);

/// How long anything else may take.
const PATIENCE: Duration = Duration::from_secs(20);

const PASSWORD: &str = "a password of 27 characters";

/// An open channel.
struct Channel {
    socket: WebSocketStream<Stream>,
    sent: i32,
}

impl Channel {
    /// Opens a channel with these headers, or returns the status of the refusal.
    async fn open(controller: &Controller, headers: &[(&str, &str)]) -> Result<Self, u16> {
        let address = controller.connect().peer_addr().unwrap();
        let stream = Client::anonymous().connect(address).await;
        let url = format!("wss://{}{PATH}", controller.host_port());
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            let name = HeaderName::try_from(*name).unwrap();
            let value = HeaderValue::try_from(*value).unwrap();
            request.headers_mut().insert(name, value);
        }
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, _)) => Ok(Self { socket, sent: 0 }),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    async fn of(controller: &Controller, user: &Api) -> Self {
        let opened = Self::open(controller, &[("zt-session", user.token())]).await;
        opened.unwrap_or_else(|status| panic!("refused with {status}"))
    }

    async fn say(&mut self, message: &ManagementMessage) {
        self.sent += 1;
        let message = message.encode().unwrap();
        let frame = Frame::new(message, Sequence(self.sent), &FrameLimits::LARGE).unwrap();
        let message = SocketMessage::Binary(frame.to_bytes());
        self.socket.send(message).await.unwrap();
    }

    async fn hear(&mut self) -> Message {
        let heard = timeout(PATIENCE, self.socket.next()).await.unwrap();
        let message = heard.unwrap().unwrap();
        let SocketMessage::Binary(bytes) = message else {
            panic!("{message:?}");
        };
        let reader = FrameReader::new(FrameLimits::LARGE);
        reader.read_datagram(bytes).unwrap().into_message()
    }

    async fn hear_message(&mut self) -> ManagementMessage {
        ManagementMessage::decode(&self.hear().await).unwrap()
    }

    async fn follow(&mut self, types: &[&str]) {
        let subscriptions: Vec<Value> = types.iter().map(|each| json!({"type": each})).collect();
        let json = json!({"format": "json", "subscriptions": subscriptions}).to_string();
        self.say(&ManagementMessage::StreamEvents(StreamEvents { json }))
            .await;
        let answer = self.hear().await;
        assert_eq!(answer.content_type, ContentType::RESULT);
        assert_eq!(&answer.body[..], b"success");
    }

    /// The next event that is as wanted; others are passed over.
    async fn event(&mut self, is_wanted: impl Fn(&Value) -> bool) -> (String, Value) {
        loop {
            let ManagementMessage::StreamedEvent(event) = self.hear_message().await else {
                panic!("no event");
            };
            let json: Value = serde_json::from_str(event.json.expose()).unwrap();
            if is_wanted(&json) {
                return (event.event_type, json);
            }
        }
    }

    /// What is said next, but for events.
    async fn hear_answer(&mut self) -> ManagementMessage {
        loop {
            match self.hear_message().await {
                ManagementMessage::StreamedEvent(_) => {},
                answer => return answer,
            }
        }
    }

    /// Whether the controller and its routers, so many in all, have the same router data model.
    async fn has_same_model(&mut self, count: u64) -> bool {
        let request = ValidateDataModel {
            includes_controller: true,
            ..ValidateDataModel::default()
        };
        self.say(&ManagementMessage::ValidateDataModel(request))
            .await;
        let found = self.hear_answer().await;
        let ManagementMessage::DataModelsFound(found) = found else {
            panic!("{found:?}");
        };
        assert_eq!((found.is_success, found.count), (true, count), "{found:?}");
        let mut is_same = true;
        for _ in 0..count {
            let details = self.hear_answer().await;
            let ManagementMessage::DataModelDetails(details) = details else {
                panic!("{details:?}");
            };
            is_same &= details.is_success;
        }
        is_same
    }

    /// Waits until the channel is closed, and returns the code.
    async fn closed(mut self) -> CloseCode {
        loop {
            match timeout(GRACE, self.socket.next()).await {
                Ok(Some(Ok(SocketMessage::Close(Some(frame))))) => return frame.code,
                Ok(Some(Ok(_))) => {},
                other => panic!("it is not closed: {other:?}"),
            }
        }
    }
}

/// A user with these permissions.
fn user(admin: &Api, name: &str, permissions: &[&str]) -> (String, Api) {
    let user = admin.create_user(name, PASSWORD);
    let identity = user.curl("/edge/client/v1/current-identity").send().data();
    let id = identity["id"].as_str().unwrap().to_owned();
    permit(admin, &id, permissions);
    (id, user)
}

fn permit(admin: &Api, id: &str, permissions: &[&str]) {
    let path = format!("/identities/{id}");
    admin
        .send("PATCH", &path, &json!({"permissions": permissions}))
        .expect_status(200);
}

#[test]
fn a_channel_is_for_administrators_and_for_ops_as_a_whole() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let bearer = format!("Bearer {}", access_token(&controller));
    let users = [
        ("nobody", &[][..], Err(401)),
        ("reader", &["ops.read"], Err(401)),
        ("parts", &["ops.read", "ops.update", "ops.delete"], Err(401)),
        ("auditor", &["admin_readonly"], Err(401)),
        ("operator", &["ops"], Ok(())),
    ];
    let users = users.map(|(name, permissions, expected)| {
        let (_, user) = user(&admin, name, permissions);
        (name, user.token().to_owned(), expected)
    });
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let open = async |headers: &[(&str, &str)]| {
            Channel::open(&controller, headers).await.map(|_channel| ())
        };
        let session = ("zt-session", admin.token());
        assert_eq!(open(&[]).await, Err(401));
        assert_eq!(open(&[("zt-session", "nothing")]).await, Err(401));
        assert_eq!(open(&[session]).await, Ok(()));
        assert_eq!(open(&[("authorization", &bearer)]).await, Ok(()));
        for (name, token, expected) in &users {
            assert_eq!(open(&[("zt-session", token)]).await, *expected, "{name}");
        }
        let evil = ("origin", "https://evil.example");
        assert_eq!(open(&[session, evil]).await, Err(403));
        let own = format!("https://{}", controller.host_port());
        assert_eq!(open(&[session, ("origin", &own)]).await, Ok(()));
    });
    assert_eq!(admin.curl(PATH).send().status, 400);
    let post = admin.curl(PATH).json("POST", &json!({})).send();
    assert_eq!(post.status, 405);
    assert_eq!(post.text(), "Method Not Allowed");
    assert_eq!(post.header("sec-websocket-version"), Some("13"));
    assert_eq!(admin.curl(&format!("{PATH}/")).send().status, 404);
    let stranger = Api::anonymous(&controller);
    let refused = stranger.curl(PATH).json("POST", &json!({})).send();
    assert_eq!(refused.error().0, 401);
    assert!(controller.terminate().success());
}

#[test]
fn a_channel_shows_sessions_and_changes() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let runtime = Runtime::new().unwrap();
    let mut channel = runtime.block_on(Channel::of(&controller, &admin));
    runtime.block_on(channel.follow(&["apiSession", "entityChange"]));

    let (id, _user) = user(&admin, "somebody", &[]);
    let is_session = |event: &Value| event["namespace"] == "apiSession";
    let (kind, event) = runtime.block_on(channel.event(is_session));
    assert_eq!(kind, "apiSession");
    assert_eq!(event["event_type"], "created");
    assert_eq!(event["token"], "");

    admin
        .delete(&format!("/identities/{id}"))
        .expect_status(200);
    let is_deletion = |event: &Value| {
        event["namespace"] == "entityChange"
            && event["entityType"] == "identities"
            && event["eventType"] == "deleted"
    };
    let (kind, event) = runtime.block_on(channel.event(is_deletion));
    assert_eq!(kind, "entity.change");
    assert_eq!(event["initialState"]["id"], *id);
    drop(channel);
    assert!(controller.terminate().success());
}

#[test]
fn a_channel_shows_routers() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let runtime = Runtime::new().unwrap();
    let mut channel = runtime.block_on(Channel::of(&controller, &admin));
    runtime.block_on(channel.follow(&["router", "connect"]));

    let overlay = Overlay::new(&site, &controller);
    let program = (&RouterProgram::Ours, Place::LOOPBACK);
    let made = ("edge-routers", &json!({"name": "r1"}));
    let (id, router) = overlay.router_of(made, program, "");
    let is_status = |event: &Value| event["namespace"] == "router";
    let (kind, event) = runtime.block_on(channel.event(is_status));
    assert_eq!(kind, "router");
    assert_eq!(event["event_type"], "router-online");
    assert_eq!(event["router_id"], *id);

    // A router that has just connected is still getting its copy.
    let is_same = runtime.block_on(async {
        for _ in 0..50 {
            if channel.has_same_model(2).await {
                return true;
            }
            sleep(Duration::from_millis(200)).await;
        }
        false
    });
    assert!(is_same, "the router's model differs from the controller's");

    router.terminate();
    let (_kind, event) = runtime.block_on(channel.event(is_status));
    assert_eq!(event["event_type"], "router-offline");
    assert_eq!(event["router_online"], false);
    drop(channel);
    assert!(controller.terminate().success());
}

#[test]
fn a_channel_follows_the_channels_of_a_router() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let overlay = Overlay::new(&site, &controller);
    let program = (&RouterProgram::Ours, Place::LOOPBACK);
    let made = ("edge-routers", &json!({"name": "r1"}));
    let (id, router) = overlay.router_of(made, program, "");
    overlay.until_online("edge-routers", &id);
    Runtime::new().unwrap().block_on(async {
        let mut channel = Channel::of(&controller, &admin).await;
        let all = ManagementMessage::StreamTraces(StreamTraces::default());
        channel.say(&all).await;
        let toggle = PipeTraces {
            is_enabled: true,
            verbosity: 1,
            app_regex: format!("^{id}$"),
            pipe_regex: "^ctrl$".to_owned(),
        };
        channel
            .say(&ManagementMessage::TogglePipeTraces(toggle))
            .await;
        let answer = loop {
            let heard = channel.hear().await;
            if heard.content_type == ContentType::RESULT {
                break String::from_utf8(heard.body.to_vec()).unwrap();
            }
        };
        assert!(
            answer.contains(&format!("App {id} matched? true")),
            "{answer}"
        );
        assert!(answer.contains("New trace state: true"), "{answer}");
        // Whatever it says by itself, such as heartbeats.
        loop {
            let ManagementMessage::StreamedTrace(event) = channel.hear_message().await else {
                panic!("no trace");
            };
            assert_eq!(event.identity, *id);
            assert!(![1008, 1010].contains(&event.content_type));
            if event.is_received {
                break;
            }
        }
    });
    router.terminate();
    assert!(controller.terminate().success());
}

#[test]
fn a_channel_answers_whatever_it_is_asked() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let mut channel = Channel::of(&controller, &admin).await;
        let names = ["connected-routers", "bogus"].map(str::to_owned).into();
        let request = InspectRequest {
            app_regex: ".*".to_owned(),
            names,
        };
        channel
            .say(&ManagementMessage::InspectRequest(request))
            .await;
        let ManagementMessage::InspectResponse(response) = channel.hear_message().await else {
            panic!("no answer");
        };
        assert!(!response.is_success);
        assert_eq!(response.values.len(), 1);
        assert_eq!(response.values[0].value.expose(), "null");
        assert_eq!(response.errors.len(), 1);

        channel.say(&ManagementMessage::ValidateDialers).await;
        let ManagementMessage::DialersFound(Found {
            is_success: false,
            text,
            count: 0,
        }) = channel.hear_message().await
        else {
            panic!("no answer");
        };
        assert!(text.ends_with("controller dialer is not enabled"), "{text}");

        let filter = RouterFilter::default();
        channel.say(&ManagementMessage::ValidateLinks(filter)).await;
        let answer = channel.hear_message().await;
        assert!(matches!(answer, ManagementMessage::LinksFound(_)));
    });
    assert!(controller.terminate().success());
}

/// Channels that one identity may have open at a time.
const CHANNELS_OF_ONE: usize = 16;

#[test]
fn one_identity_has_so_many_channels_at_a_time() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let (_, operator) = user(&admin, "operator", &["ops"]);
    let runtime = Runtime::new().unwrap();
    let mut channels = Vec::new();
    for _ in 0..CHANNELS_OF_ONE {
        channels.push(runtime.block_on(Channel::of(&controller, &admin)));
    }
    let refused = admin
        .curl(PATH)
        .argument("--http1.1")
        .header("connection: Upgrade")
        .header("upgrade: websocket")
        .header("sec-websocket-version: 13")
        .header("sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==")
        .send();
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    let code = "SERVER_TOO_MANY_REQUESTS".to_owned();
    assert_eq!(refused.error(), (429, code));
    runtime.block_on(async {
        // Others have their own, and those that are there go on.
        Channel::of(&controller, &operator).await;
        channels[0].follow(&["router"]).await;
        drop(channels.pop());
        let session = [("zt-session", admin.token())];
        let opening = async {
            while let Err(status) = Channel::open(&controller, &session).await.map(drop) {
                assert_eq!(status, 429);
                sleep(Duration::from_millis(50)).await;
            }
        };
        let is_open = timeout(PATIENCE, opening).await.is_ok();
        assert!(is_open, "what was closed still counts");
    });
    assert!(controller.terminate().success());
}

/// Ends the session or the permission of a user, by its id and with its credentials.
type End<'a> = dyn Fn(&str, &Api) + 'a;

#[test]
fn a_channel_ends_with_its_session_and_its_permission() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let runtime = Runtime::new().unwrap();
    let end_all: [(&str, &End<'_>); 5] = [
        ("logout", &|_, user| {
            user.curl("/edge/client/v1/current-api-session")
                .arguments(["--request", "DELETE"])
                .send()
                .expect_status(200);
        }),
        ("demoted", &|id, _| permit(&admin, id, &["ops.read"])),
        ("disabled", &|id, _| {
            let path = format!("/identities/{id}/disable");
            let body = json!({"durationMinutes": 0});
            admin.send("POST", &path, &body).expect_status(200);
        }),
        ("removed", &|id, _| {
            admin
                .delete(&format!("/identities/{id}"))
                .expect_status(200);
        }),
        ("ended", &|id, _| {
            let filter = format!("/api-sessions?filter=identity%3D%22{id}%22");
            let sessions = admin.get(&filter).data();
            for session in sessions.as_array().unwrap() {
                let session = session["id"].as_str().unwrap();
                let path = format!("/api-sessions/{session}");
                admin.delete(&path).expect_status(200);
            }
        }),
    ];
    let mut bystander = runtime.block_on(Channel::of(&controller, &admin));
    for (name, end) in end_all {
        let (id, user) = user(&admin, name, &["ops"]);
        let mut channel = runtime.block_on(Channel::of(&controller, &user));
        runtime.block_on(channel.follow(&["router"]));
        end(&id, &user);
        let begin = Instant::now();
        let code = runtime.block_on(channel.closed());
        assert_eq!(code, CloseCode::Policy, "{name}");
        assert!(begin.elapsed() < GRACE, "{name}");
    }
    runtime.block_on(bystander.follow(&["router"]));
    assert!(controller.terminate().success());
    assert_eq!(runtime.block_on(bystander.closed()), CloseCode::Away);
}
