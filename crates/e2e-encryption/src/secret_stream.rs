//! The messages of one direction.

mod state;

use bytes::{BufMut as _, Bytes, BytesMut};

use self::state::{MAC_LEN, State};
use crate::key_exchange::StreamKey;

/// By how much a sealed message is longer.
pub const OVERHEAD: usize = TAG_LEN + MAC_LEN;

const TAG_LEN: usize = 1;

/// An ordinary message.
const TAG_MESSAGE: u8 = 0;

/// What a stream begins with: random, and no secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header(pub [u8; Self::LEN]);

impl Header {
    pub const LEN: usize = 24;
}

impl TryFrom<&[u8]> for Header {
    type Error = OpenError;

    fn try_from(bytes: &[u8]) -> Result<Self, OpenError> {
        let header = bytes.try_into();
        header.map(Self).map_err(|_wrong_length| OpenError::Header)
    }
}

/// The other end has not sealed this, or not as the next message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    #[error("the encrypted stream does not begin with its header")]
    Header,
    #[error("an encrypted message is not authentic, or not the next one")]
    Message,
}

/// Seals what an end sends.
#[derive(Debug)]
pub struct Sealer {
    state: State,
}

impl Sealer {
    /// `header` has to be random, and goes to the other end before all messages.
    pub fn new(key: &StreamKey, header: &Header) -> Self {
        Self {
            state: State::new(key, header),
        }
    }

    /// Seals the next message.
    pub fn seal(&mut self, message: &[u8]) -> Bytes {
        let mut sealed = BytesMut::with_capacity(message.len() + OVERHEAD);
        sealed.put_u8(0);
        sealed.put_slice(message);
        let mac = match sealed.split_first_mut() {
            Some((tag, body)) => self.state.encrypt(TAG_MESSAGE, tag, body),
            None => return Bytes::new(),
        };
        sealed.put_slice(&mac);
        sealed.freeze()
    }
}

/// Opens what an end receives.
#[derive(Debug)]
pub struct Opener {
    state: State,
}

impl Opener {
    pub fn new(key: &StreamKey, header: &Header) -> Self {
        Self {
            state: State::new(key, header),
        }
    }

    /// Opens the next message. Its memory is used again, unless others share it. After an error the stream
    /// is where it was before.
    pub fn open(&mut self, sealed: Bytes) -> Result<Bytes, OpenError> {
        let body_len = sealed
            .len()
            .checked_sub(OVERHEAD)
            .ok_or(OpenError::Message)?;
        let mut sealed = sealed
            .try_into_mut()
            .unwrap_or_else(|shared| BytesMut::from(&shared[..]));
        let mac = sealed.split_off(TAG_LEN + body_len);
        let mut body = sealed.split_off(TAG_LEN);
        let tag = *sealed.first().ok_or(OpenError::Message)?;
        self.state.decrypt(tag, &mut body, &mac)?;
        Ok(body.freeze())
    }
}
