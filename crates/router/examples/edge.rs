//! An SDK dials a service at a router: one channel, driven by hand.
//!
//! ```text
//! cargo run -p portcullis-router --example edge
//! ```

use std::error::Error;

use portcullis_channel::{Frame, FrameLimits, Sequence};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{
    Access, Action, ApiSession, ChannelId, Client, ClientCertificates, EdgeLimits, LoginRefusal,
    Refusal, SdkChannel, ServiceId, ServiceReference, ServiceSession, SessionKind,
};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::CreateCircuitAnswer;
use portcullis_wire::edge::{ConnectV2, ConnectionId, EdgeMessage, ServiceIdentifier};
use portcullis_wire::{ErrorCode, Token};

/// Everybody may dial the one service that there is.
struct OneService;

impl Access for OneService {
    fn authenticate(
        &self,
        _token: &Token,
        _certificates: &ClientCertificates,
        _now: Timestamp,
    ) -> Result<ApiSession, LoginRefusal> {
        Err(LoginRefusal::Refused("nobody new is let in".to_owned()))
    }

    fn renew(
        &self,
        session: &ApiSession,
        _token: &Token,
        _now: Timestamp,
    ) -> Result<ApiSession, Refusal> {
        Ok(session.clone())
    }

    fn check_session(&self, _session: &ApiSession, _now: Timestamp) -> Result<(), String> {
        Ok(())
    }

    fn check_service_session(
        &self,
        _session: &ApiSession,
        _token: &Token,
        _now: Timestamp,
    ) -> Result<ServiceSession, Refusal> {
        Err(Refusal::new(ErrorCode::InvalidSession, "there are none"))
    }

    fn find_service(
        &self,
        _session: &ApiSession,
        service: ServiceReference<'_>,
    ) -> Result<ServiceId, Refusal> {
        match service {
            ServiceReference::Name("wiki") => Ok("27Wf3OV8h8Gkrf3bVfrV5w".into()),
            _ => Err(Refusal::new(ErrorCode::InvalidService, "service not found")),
        }
    }

    fn check_grant(
        &self,
        _session: &ApiSession,
        _grant: ServiceGrant,
        _service: &ServiceId,
        _now: Timestamp,
    ) -> Result<(), Refusal> {
        Ok(())
    }

    fn requires_encryption(&self, _service: &ServiceId) -> bool {
        false
    }
}

/// The client, as a login has let it in.
fn client() -> Client {
    let session = ApiSession {
        id: "a3e6f4d5".to_owned(),
        identity: "alice".into(),
        identity_name: "Alice".into(),
        kind: SessionKind::Oidc,
        token: Token::new("ey...".to_owned()),
        expires_at: None,
        claims: None,
        identity_was_known: true,
    };
    let certificates = ClientCertificates {
        fingerprints: ["2c1d8f00".to_owned()].into(),
        not_before: Timestamp::MIN,
        not_after: Timestamp::MAX,
        spiffe_id: None,
        is_first_party: true,
    };
    Client {
        session,
        certificates,
    }
}

fn dial(connection: u32, service: &str) -> Result<Frame, Box<dyn Error>> {
    let message = EdgeMessage::ConnectV2(ConnectV2 {
        connection: ConnectionId(connection),
        service: service.to_owned(),
        service_identifier: Some(ServiceIdentifier::Name),
        uses_xgress: true,
        ..ConnectV2::default()
    });
    let sequence = Sequence(connection.cast_signed());
    Ok(Frame::new(
        message.encode()?,
        sequence,
        &FrameLimits::LARGE,
    )?)
}

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), Box<dyn Error>> {
    let now = Timestamp::UNIX_EPOCH;
    let limits = EdgeLimits::default();
    let mut channel = SdkChannel::new(ChannelId(1), client(), "router-1".into(), limits, now);

    for (connection, service) in (1..).zip(["wiki", "chat"]) {
        println!("the SDK dials {service}");
        channel.handle_frame(dial(connection, service)?, &OneService, now);
        while let Some(action) = channel.poll() {
            match action {
                Action::Request { request, .. } => {
                    println!("  a controller is asked, and has a circuit");
                    let answer = ControlMessage::CreateCircuitAnswerV3(CreateCircuitAnswer {
                        circuit_id: "5n1LQ2b9o".to_owned(),
                        address: "3xYd8K0aU".to_owned(),
                        ..CreateCircuitAnswer::default()
                    });
                    let controller = "controller-1".into();
                    channel.controller_answered(request, controller, answer, &OneService, now);
                },
                Action::Open(end) => {
                    println!(
                        "  circuit {} ends at {}: {:?}",
                        end.id.circuit, end.address, end.flow
                    );
                },
                Action::Send(outgoing) => println!("  the SDK is sent {:?}", outgoing.message),
                Action::Start(dialed) => println!("  circuit {} carries data", dialed.end.circuit),
                other => println!("  {other:?}"),
            }
        }
    }

    channel.end("the router stops");
    while let Some(action) = channel.poll() {
        println!("at the end: {action:?}");
    }
    Ok(())
}
