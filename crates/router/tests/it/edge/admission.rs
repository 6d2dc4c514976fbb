//! Hellos: who is let in, when, and with which answer.

use super::judge::{Judge, certificates, legacy, session};
use bytes::BytesMut;
use portcullis_channel::group::{
    Admission, GeneratedCredentials, GroupId, GroupLimits, GroupRegistry, GroupSecret,
    RefusalReason,
};
use portcullis_channel::hello::{
    GroupHello, Grouping, Hello, HelloAnswer, HelloReader, RejectClass,
};
use portcullis_channel::{BuildVersion, FrameLimits, FrameReader, Headers, Moment};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_router::edge::{
    Client, EdgeLimits, Login, LoginStep, SdkPeer, SessionKind, hello_headers,
};
use portcullis_wire::Token;
use portcullis_wire::edge::SdkHello;

const START: Timestamp = Timestamp::UNIX_EPOCH;

/// A recorded hello: a UUID as token, an identity id as body.
const HELLO: &str = "0306090c00000000ffffffff2c00000009000000ea0300002400000032336139646230612d396164312d343239302d383935322d3866613838663038366365316b703376364c557655";
/// The answer to it.
const ANSWER: &str = "0306090c02000000ffffffff88000000000000000100000004000000ffffffff0200000001000000010004000001000000010804000001000000010f040000080000004000000000000076040000002c00000076302e302e307c6c6f63616c7c323032302d30312d30312030313a30313a30317c6c696e75787c616d64363400000000040000004164424d0800000009000000512d3376364c335233";

fn bytes(hex: &str) -> BytesMut {
    let pairs = (0..hex.len()).step_by(2).map(|at| &hex[at..at + 2]);
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

fn after(millis: i64) -> Timestamp {
    START + SignedDuration::from_millis(millis)
}

fn hello(token: &str) -> SdkHello {
    SdkHello {
        api_session_token: Some(Token::new(token.to_owned())),
    }
}

fn login(token: &str, fingerprint: &str) -> Login {
    let limits = EdgeLimits::default();
    Login::new(hello(token), certificates(fingerprint), &limits, START).unwrap()
}

fn admitted(step: LoginStep) -> Client {
    match step {
        LoginStep::Admitted(client) => client,
        other => panic!("{other:?}"),
    }
}

/// Polls a login whenever it wants to be polled. The step, and when it was made.
fn wait(login: &mut Login, judge: &Judge) -> (LoginStep, Timestamp) {
    let mut now = START;
    loop {
        match login.poll(judge, now) {
            LoginStep::Wait(next) => {
                assert!(next > now);
                now = next;
            },
            step => return (step, now),
        }
    }
}

#[test]
fn recorded_hello_is_answered_as_recorded() {
    let reader = HelloReader::new(Moment::from_micros(1));
    let read = reader.read(&mut bytes(HELLO), Moment::ZERO).unwrap();
    let read: Hello = read.unwrap();
    let token = SdkHello::from_headers(&read.headers).api_session_token;
    assert_eq!(
        token.unwrap().expose(),
        "23a9db0a-9ad1-4290-8952-8fa88f086ce1"
    );

    let mut groups: GroupRegistry<&str, u64> = GroupRegistry::new(GroupLimits::default());
    let generated = GeneratedCredentials {
        id: GroupId::new("AdBM").unwrap(),
        secret: GroupSecret::new([1; 16]),
    };
    let admission = groups.admit(&"peer", &read, generated, Moment::ZERO);
    let Admission::New(reservation) = admission else {
        panic!("a channel of its own");
    };
    let version: BuildVersion = "v0.0.0|local|2020-01-01 01:01:01|linux|amd64"
        .parse()
        .unwrap();
    let answer = read.accept(reservation.grant(), "Q-3v6L3R3", &hello_headers(version));
    let answer = answer.unwrap();

    let frame = |bytes: &mut BytesMut| {
        let reader = FrameReader::new(FrameLimits::HELLO);
        reader.next(bytes).unwrap().unwrap()
    };
    let ours = frame(&mut BytesMut::from(&answer[..]));
    let theirs = frame(&mut bytes(ANSWER));
    let sorted = |frame: &portcullis_channel::Frame| {
        let mut all: Vec<_> = frame
            .headers()
            .iter()
            .map(|(key, value)| (key, value.to_vec()))
            .collect();
        all.sort();
        all
    };
    assert_eq!(sorted(&ours), sorted(&theirs));
    assert!(matches!(
        HelloAnswer::from_frame(&ours).unwrap(),
        HelloAnswer::Accepted(_)
    ));
}

#[test]
fn hello_without_token_or_certificate_is_rejected_at_once() {
    let limits = EdgeLimits::default();
    let none = SdkHello {
        api_session_token: None,
    };
    let denial = Login::new(none, certificates("alice"), &limits, START).unwrap_err();
    assert_eq!(denial.class, RejectClass::NotPermitted);

    let mut without = certificates("alice");
    without.fingerprints = [].into();
    let denial = Login::new(hello("ey-alice"), without, &limits, START).unwrap_err();
    assert_eq!(denial.reason, "no client certificate");

    let long = hello(&"x".repeat(limits.token_bytes + 1));
    assert!(Login::new(long, certificates("alice"), &limits, START).is_err());
}

#[test]
fn unknown_session_is_waited_for_and_denied_after_five_seconds() {
    let judge = Judge::default();
    let (step, at) = wait(&mut login("ey-alice", "alice"), &judge);
    assert!(matches!(step, LoginStep::Denied(_)), "{step:?}");
    assert_eq!(at, after(5000));
    assert!(
        judge.asked.get() < 20,
        "pauses double: {}",
        judge.asked.get()
    );
}

#[test]
fn session_that_arrives_late_is_admitted() {
    let judge = Judge::default();
    let mut login = login("ey-alice", "alice");
    assert_eq!(login.poll(&judge, START), LoginStep::Wait(after(1)));
    judge.know(session("alice", legacy()));
    let client = admitted(login.poll(&judge, after(1)));
    assert_eq!(client.session.identity.as_str(), "alice");
}

#[test]
fn certificate_of_another_identity_is_denied_at_once() {
    let judge = Judge::default();
    judge.know(session("alice", SessionKind::Oidc));
    let step = login("ey-alice", "bob").poll(&judge, START);
    assert!(matches!(step, LoginStep::Denied(_)), "{step:?}");
}

/// Defect 2 of the original: further connections needed an id and a secret only.
#[test]
fn further_connections_are_of_the_same_certificate_and_session() {
    let judge = Judge::default();
    judge.know(session("alice", SessionKind::Oidc));
    judge.know(session("bob", SessionKind::Oidc));
    let peer = |token, fingerprint| -> SdkPeer {
        admitted(login(token, fingerprint).poll(&judge, START)).peer()
    };
    assert_eq!(peer("ey-alice", "alice"), peer("ey-alice", "alice"));
    assert_ne!(peer("ey-alice", "alice"), peer("ey-bob", "bob"));
}

/// A grouped hello, as all SDKs but unconfigured Go ones send it.
fn grouped(id: Option<&str>, secret: Option<[u8; 16]>) -> Hello {
    let group = GroupHello {
        id: id.map(|id| GroupId::new(id).unwrap()),
        secret: secret.map(GroupSecret::new),
        is_first: id.is_none(),
    };
    Hello::new(
        "sdk".to_owned(),
        Some("edge.default".to_owned()),
        Grouping::Grouped(group),
        Headers::empty(),
    )
}

#[test]
fn further_connections_need_the_group_its_secret_and_the_same_client() {
    let judge = Judge::default();
    judge.know(session("alice", SessionKind::Oidc));
    judge.know(session("bob", SessionKind::Oidc));
    let peer = |token, fingerprint| admitted(login(token, fingerprint).poll(&judge, START)).peer();
    let alice = peer("ey-alice", "alice");
    let mut groups: GroupRegistry<SdkPeer, u64> = GroupRegistry::new(GroupLimits::default());
    let generated = || GeneratedCredentials {
        id: GroupId::new("AdBM").unwrap(),
        secret: GroupSecret::new([1; 16]),
    };
    let first = groups.admit(&alice, &grouped(None, None), generated(), Moment::ZERO);
    let Admission::New(reservation) = first else {
        panic!("{first:?}");
    };
    let registration = groups.open(reservation, 7).unwrap();

    let mut join = |peer: &SdkPeer, id, secret| {
        let hello = grouped(Some(id), Some(secret));
        groups.admit(peer, &hello, generated(), Moment::ZERO)
    };
    let joined = join(&alice, "AdBM", [1; 16]);
    assert!(matches!(joined, Admission::Attach(found) if found.channel == 7));
    let wrong = join(&alice, "AdBM", [2; 16]);
    assert!(matches!(
        wrong,
        Admission::Refuse(RefusalReason::WrongSecret)
    ));
    let unknown = join(&alice, "XyZ", [1; 16]);
    assert!(matches!(
        unknown,
        Admission::Refuse(RefusalReason::UnknownGroup)
    ));
    // Whoever knows id and secret, and is somebody else.
    let foreign = join(&peer("ey-bob", "bob"), "AdBM", [1; 16]);
    assert!(matches!(
        foreign,
        Admission::Refuse(RefusalReason::UnknownGroup)
    ));
    groups.close(registration);
}
