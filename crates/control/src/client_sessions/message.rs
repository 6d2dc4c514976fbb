//! Messages about sessions.

use portcullis_app::App;
use portcullis_app::AppError;
use portcullis_app::sessions::for_routers::{self, RouterApiSession, SessionNews};
use portcullis_channel::Message;
use portcullis_data_model::session_sync;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::session::{
    ApiSession, ApiSessions, ApiSessionsAdded, ApiSessionsRemoved, ApiSessionsUpdated, INSTANT,
    SessionsRemoved, UpdatedApiSessions,
};
use secrecy::{ExposeSecret as _, SecretString};

/// Sessions that are read under one snapshot at a time.
const CHUNK: usize = 1000;

/// All sessions, as messages that belong together.
pub(super) struct FullState {
    /// Revision of the store that they are of.
    pub(super) revision: u64,
    pub(super) messages: Vec<Message>,
}

impl FullState {
    /// Reads all sessions. Takes some time: not for a task.
    pub(super) fn read(app: &App, id: &str) -> Result<Self, AppError> {
        let mut all = for_routers::all(app)?;
        let mut sessions = Vec::new();
        loop {
            let chunk = all.next_chunk(CHUNK)?;
            if chunk.is_empty() {
                break;
            }
            sessions.extend(chunk.into_iter().map(session));
        }
        let messages = session_sync::full_state(id, &sessions).into_iter();
        Ok(Self {
            revision: all.revision(),
            messages: messages
                .filter_map(|message| encode(&ControlMessage::ApiSessionsAdded(message)))
                .collect(),
        })
    }
}

/// What routers are told of news; nothing about what has to be told as a whole.
pub(super) fn of_news(id: &str, news: Vec<SessionNews>) -> Vec<Message> {
    let messages = news.into_iter().filter_map(|news| of_one(id, news));
    messages.filter_map(|message| encode(&message)).collect()
}

fn of_one(id: &str, news: SessionNews) -> Option<ControlMessage> {
    Some(match news {
        SessionNews::Added(added) => ControlMessage::ApiSessionsAdded(ApiSessionsAdded {
            sessions: ApiSessions {
                is_full_state: false,
                sessions: vec![session(added)],
            },
            sync_type: INSTANT.to_owned(),
            sync_state: format!(r#"{{"id":"{id}","isLast":true,"sequence":0}}"#),
        }),
        SessionNews::Updated(updated) => ControlMessage::ApiSessionsUpdated(ApiSessionsUpdated {
            sessions: UpdatedApiSessions {
                sessions: vec![session(updated)],
            },
            sync_type: INSTANT.to_owned(),
            sync_state: String::new(),
        }),
        SessionNews::Removed { id, token } => {
            ControlMessage::ApiSessionsRemoved(ApiSessionsRemoved {
                tokens: vec![text(&token).into()],
                ids: vec![id.as_str().to_owned()],
            })
        },
        SessionNews::ServiceSessionRemoved(id) => {
            // Their tokens are not kept. Routers since 2.0 look for the id, older ones for the token,
            // which was the id then.
            let id = id.as_str().to_owned();
            ControlMessage::SessionsRemoved(SessionsRemoved {
                tokens: vec![id.clone().into()],
                ids: vec![id],
            })
        },
        SessionNews::Everything => return None,
    })
}

fn session(session: RouterApiSession) -> ApiSession {
    ApiSession {
        token: text(&session.token).into(),
        fingerprints: session.fingerprints,
        id: session.id.as_str().to_owned(),
        identity_id: session.identity.as_str().to_owned(),
    }
}

fn text(token: &SecretString) -> String {
    token.expose_secret().to_owned()
}

fn encode(message: &ControlMessage) -> Option<Message> {
    message
        .encode()
        .inspect_err(|error| tracing::error!(%error, "routers cannot be told of a session"))
        .ok()
}
