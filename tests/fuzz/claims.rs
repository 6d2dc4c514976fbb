//! Claims of the controller's own tokens, which are read after their signature was verified.

use crate::driver::fuzz;
use portcullis_domain::api_session::{OpenedBy, TokenHash};
use portcullis_domain::client_info::{EnvInfo, SdkInfo};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::{
    ApiSessionId, AuthenticatorId, IdentityId, ServiceId, SessionId, SignerId,
};
use portcullis_domain::oidc_session::OidcClient;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use portcullis_oidc::algorithm::SigningAlgorithm;
use portcullis_oidc::authorization::AuthorizationRequest;
use portcullis_oidc::claims::{
    AccessClaims, HolderFacts, IdClaims, IdTokenOrigin, RefreshClaims, ServiceSessionClaims,
    SessionFacts, TokenId, TokenTerms, TotpClaims,
};
use portcullis_oidc::issuer::Issuers;
use portcullis_oidc::login::{
    CertificateFacts, ClientDetails, Login, PrimaryFactor, SecondaryFactor,
};
use portcullis_oidc::method::LoginMethod;
use portcullis_oidc::parameters::Parameters;
use portcullis_oidc::redirect::RedirectUris;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::net::{Ipv4Addr, SocketAddr};

const CONTROLLER: &str = "https://ctrl.example.test:1280";

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

/// What the tokens of a login tell in which everything is known.
fn facts() -> SessionFacts {
    let request = Parameters::parse(
        "client_id=native&response_type=code&scope=openid+offline_access\
         &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256\
         &redirect_uri=http%3A%2F%2Flocalhost%3A8080%2Fauth%2Fcallback",
    );
    let request = AuthorizationRequest::parse(&request.unwrap(), &RedirectUris::for_login([]));
    let primary = PrimaryFactor {
        identity: IdentityId::from_wire("alice"),
        session: ApiSessionId::from_wire("as-1"),
        method: LoginMethod::Certificate,
        opened_by: OpenedBy::Authenticator(AuthenticatorId::from_wire("cert")),
        authenticated_at: now(),
        certificate: Some(CertificateFacts {
            fingerprint: "aa".to_owned(),
            is_extendable: true,
            has_improper_chain: false,
        }),
    };
    let client = ClientDetails {
        remote_address: SocketAddr::from((Ipv4Addr::LOCALHOST, 50_000)),
        config_types: vec!["all".to_owned()],
        env_info: EnvInfo {
            os: "linux".to_owned(),
            ..EnvInfo::default()
        },
        sdk_info: SdkInfo {
            kind: "sdk".to_owned(),
            ..SdkInfo::default()
        },
        csr: None,
    };
    let passed = [
        SecondaryFactor::Totp,
        SecondaryFactor::Token(SignerId::from_wire("idp")),
    ];
    let login = Login::begin(request.unwrap()).authenticate(primary, client, passed, []);
    let holder = HolderFacts {
        is_admin: true,
        external_id: Some("ext".to_owned()),
        ..HolderFacts::default()
    };
    let login = login.unwrap();
    SessionFacts::new(
        login.authenticated().unwrap(),
        holder,
        Some("bb".to_owned()),
    )
}

/// The claims of one token of each type.
fn issued() -> Vec<Vec<u8>> {
    let issuers = Issuers::new(["ctrl.example.test"], &[1280]);
    let terms = TokenTerms {
        issuer: issuers.of_host("ctrl.example.test:1280").unwrap(),
        id: TokenId::from_wire("id-1"),
        issued_at: now(),
        lifetime: SignedDuration::from_mins(30),
    };
    let origin = IdTokenOrigin {
        nonce: Some("no"),
        code: Some("code"),
        access_token: Some("token"),
    };
    let (name, algorithm) = (Some("Alice".to_owned()), SigningAlgorithm::Es256);
    let holder = (
        IdentityId::from_wire("alice"),
        ApiSessionId::from_wire("as-1"),
    );
    let session = Session {
        id: SessionId::from_wire("ss-1"),
        created_at: now(),
        api_session: ApiSessionId::from_wire("as-1"),
        api_session_token: TokenHash([0; 16]),
        identity: IdentityId::from_wire("alice"),
        service: ServiceId::from_wire("svc"),
        grant: ServiceGrant::Dial,
        tags: Tags::default(),
    };
    let (id, client) = (TokenId::from_wire("id-2"), OidcClient::Native);
    vec![
        written(&AccessClaims::issue(facts(), &terms)),
        written(&RefreshClaims::issue(facts(), &terms)),
        written(&IdClaims::issue(&facts(), &terms, name, origin, algorithm)),
        written(&TotpClaims::issue(CONTROLLER, holder, client, id, now())),
        written(&ServiceSessionClaims::issue(
            CONTROLLER,
            &session,
            true,
            now(),
        )),
    ]
}

fn written(claims: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(claims).unwrap()
}

/// A type of claims.
struct Type {
    name: &'static str,
    /// Reads an input. Fails if that breaks a promise.
    read: fn(&[u8]) -> Result<Reading, String>,
}

enum Reading {
    Claims,
    /// They are not of this type, for that reason.
    Others(String),
}

const TYPES: [Type; 5] = [
    Type {
        name: "access",
        read: read::<AccessClaims>,
    },
    Type {
        name: "refresh",
        read: read::<RefreshClaims>,
    },
    Type {
        name: "ID",
        read: read::<IdClaims>,
    },
    Type {
        name: "TOTP",
        read: read::<TotpClaims>,
    },
    Type {
        name: "service",
        read: read::<ServiceSessionClaims>,
    },
];

fn read<C: DeserializeOwned + Serialize + PartialEq>(input: &[u8]) -> Result<Reading, String> {
    let claims: C = match serde_json::from_slice(input) {
        Ok(claims) => claims,
        Err(error) => {
            let reason = error.to_string();
            return Ok(Reading::Others(reason.chars().take(16).collect()));
        },
    };
    match serde_json::from_slice::<C>(&written(&claims)) {
        Ok(again) if again == claims => Ok(Reading::Claims),
        Ok(_) => Err("what was written is read as something else".to_owned()),
        Err(error) => Err(format!("what was written is not read again: {error}")),
    }
}

/// The types whose claims an input is, and where reading leads.
fn types_of(input: &[u8]) -> Result<(Vec<&'static str>, String), String> {
    let (mut types, mut places) = (Vec::new(), String::new());
    for one in TYPES {
        match (one.read)(input).map_err(|broken| format!("{}: {broken}", one.name))? {
            Reading::Claims => types.push(one.name),
            Reading::Others(reason) => places = reason,
        }
    }
    Ok((types, places))
}

#[test]
fn fuzzed_claims_are_those_of_one_type_at_most() {
    let seeds = issued();
    let types = seeds.iter().map(|seed| types_of(seed).unwrap().0);
    let types: Vec<_> = types.collect();
    assert_eq!(
        types,
        ["access", "refresh", "ID", "TOTP", "service"].map(|name| vec![name])
    );
    fuzz("claims", seeds, |input| {
        let (types, reason) = types_of(input)?;
        match *types {
            [] => Ok(reason),
            [one] => Ok(one.to_owned()),
            _ => Err(format!("it counts as {}", types.join(" and "))),
        }
    });
}
