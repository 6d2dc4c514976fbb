//! The model in a file, for the next start.
//!
//! ```text
//! PORTCULLIS MODEL 1\n   what it is, and its version
//! 32 bytes               SHA-256 of the rest
//! rest                   the body of a DataState, as controllers send it
//! ```

use super::Replica;
use bytes::Bytes;
use portcullis_channel::Headers;
use portcullis_wire::Content as _;
use portcullis_wire::control::data_model::{DataState, State};
use portcullis_wire::{DecodeError, EncodeError};
use sha2::{Digest as _, Sha256};

const MAGIC: &[u8] = b"PORTCULLIS MODEL 1\n";
const DIGEST: usize = 32;

/// A file is not one that [`Replica::to_file`] wrote. The router begins without a model then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("it is no data model, or one of another version")]
    Foreign,
    #[error("it is damaged: its checksum is wrong")]
    Damaged,
    #[error("its content cannot be read: {0}")]
    Unreadable(#[from] DecodeError),
}

impl Replica {
    /// The model as a file. It holds configurations, which may be secret.
    pub fn to_file(&self) -> Result<Vec<u8>, EncodeError> {
        let state = DataState {
            state: State {
                events: self.model.to_events(),
                end_index: self.index,
                timeline_id: self.timeline_id.clone(),
                ..State::default()
            },
            subscription_id: None,
        };
        let (_, body) = state.encode()?;
        let digest = Sha256::digest(&body);
        Ok([MAGIC, digest.as_slice(), &body].concat())
    }

    /// Begins with the model of a file.
    pub fn from_file(run: impl Into<String>, file: &[u8]) -> Result<Self, FileError> {
        let rest = file.strip_prefix(MAGIC).ok_or(FileError::Foreign)?;
        let (digest, body) = rest.split_at_checked(DIGEST).ok_or(FileError::Damaged)?;
        if Sha256::digest(body).as_slice() != digest {
            return Err(FileError::Damaged);
        }
        let message = DataState::decode(&Headers::default(), &Bytes::copy_from_slice(body))?;
        let mut replica = Self::new(run);
        replica.replace(message.state);
        Ok(replica)
    }
}
