//! The first line of a client, and the answer to it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Bytes of the longest line, with its end.
pub const MAX_LINE: usize = 4096;

/// A client's first line says no service.
#[derive(Debug, thiserror::Error)]
pub enum DialLineError {
    #[error("the first line is longer than {MAX_LINE} bytes")]
    TooLong,
    #[error("the first line is not JSON such as {{\"id\":\"me\",\"svcId\":\"a service\"}}")]
    NoJson(#[source] serde_json::Error),
    #[error("`svcId` in the first line is empty")]
    NoService,
}

/// What a client wants: one line of JSON, `{"id":"…","svcId":"…"}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialLine {
    /// What the client calls itself, which may be nothing.
    pub client: String,
    /// Id or name of the service, perhaps with an instance: `instance@service`.
    pub service: String,
}

#[derive(Deserialize)]
struct Members {
    #[serde(default)]
    id: Option<String>,
    #[serde(rename = "svcId", default)]
    service: Option<String>,
}

impl DialLine {
    /// Reads a line, with or without its end.
    pub fn parse(line: &[u8]) -> Result<Self, DialLineError> {
        if line.len() > MAX_LINE {
            return Err(DialLineError::TooLong);
        }
        let members = serde_json::from_slice::<Map<String, Value>>(line)
            .and_then(|members| Members::deserialize(Value::Object(members)))
            .map_err(DialLineError::NoJson)?;
        let service = members.service.filter(|service| !service.is_empty());
        Ok(Self {
            client: members.id.unwrap_or_default(),
            service: service.ok_or(DialLineError::NoService)?,
        })
    }
}

/// What a client is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialAnswer {
    /// What follows is the service's.
    Connected {
        circuit: String,
    },
    Refused {
        reason: String,
    },
}

#[derive(Serialize)]
struct Answer<'text> {
    scc: bool,
    msg: &'text str,
    #[serde(rename = "circuitId")]
    circuit: &'text str,
}

impl DialAnswer {
    /// The line, with its end.
    pub fn to_line(&self) -> Vec<u8> {
        let answer = match self {
            Self::Connected { circuit } => Answer {
                scc: true,
                msg: "",
                circuit,
            },
            Self::Refused { reason } => Answer {
                scc: false,
                msg: reason,
                circuit: "",
            },
        };
        // Texts are always written.
        let mut line = serde_json::to_vec(&answer).unwrap_or_default();
        line.push(b'\n');
        line
    }
}
