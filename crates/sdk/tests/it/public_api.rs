//! All that programs have to name can be named through the SDK.

use portcullis_sdk::{
    ApiSession, CodeFuture, CodePrompt, CodeQuery, Context, ContextBuilder, DialError, DialFailure,
    DialOptions, EdgeIdentity, EdgeSession, ErrorCode, ExternalTokenFuture, ExternalTokens,
    Incoming, ListenError, ListenOptions, Listener, LoginMethod, OpenError, ReadHalf, Retry,
    SecretString, ServiceStream, SessionError, SessionKind, Url, WriteHalf,
};
use std::sync::Arc;

struct Prompt;

impl CodePrompt for Prompt {
    fn ask(&self, _query: CodeQuery) -> CodeFuture<'_> {
        Box::pin(async { Some(SecretString::from("123456")) })
    }
}

struct Tokens;

impl ExternalTokens for Tokens {
    fn token(&self) -> ExternalTokenFuture<'_> {
        Box::pin(async { Some(SecretString::from("a token")) })
    }
}

fn builder(identity: EdgeIdentity) -> ContextBuilder {
    let login = LoginMethod::ExternalToken(Arc::new(Tokens));
    let builder = Context::builder(identity).login(login);
    builder.code_prompt(Prompt).second_factor(Tokens)
}

fn controller_of(session: &ApiSession) -> Option<&Url> {
    (session.kind == SessionKind::Oidc).then_some(&session.controller)
}

fn is_posture(error: &DialError) -> bool {
    match error {
        DialError::Session(SessionError::Posture(_)) => true,
        DialError::Failed { why, .. } => match &**why {
            DialFailure::Refused(refusal) => {
                refusal.retry == Retry::AsUsual
                    && refusal.code == Some(ErrorCode::PostureCheckFailed)
            },
            _ => false,
        },
        _ => false,
    }
}

const fn is_shared<T: Send + Sync>() {}

/// What programs move to other tasks.
const _: () = {
    is_shared::<Context>();
    is_shared::<EdgeSession>();
    is_shared::<Listener>();
    is_shared::<Incoming>();
    is_shared::<ServiceStream>();
    is_shared::<ReadHalf>();
    is_shared::<WriteHalf>();
    is_shared::<DialOptions>();
    is_shared::<ListenOptions>();
    is_shared::<OpenError>();
    is_shared::<DialError>();
    is_shared::<ListenError>();
};

#[test]
fn errors_can_be_told_apart() {
    assert!(!is_posture(&DialError::Closed));
    assert!(!is_posture(&DialError::Session(SessionError::Closed)));
    // What is named above has these types.
    let _: fn(EdgeIdentity) -> ContextBuilder = builder;
    let _: fn(&ApiSession) -> Option<&Url> = controller_of;
}
