//! Segments that only the other end can read.

use bytes::Bytes;
use portcullis_e2e_encryption::{
    Header, KeyPair, OpenError, Opener, Sealer, StreamKey, StreamKeys,
};

/// What a connection needs to be encrypted from end to end, as the end that dials.
///
/// Both parts have to be random, and of this connection alone.
#[derive(Debug)]
pub struct DialKeys {
    pub pair: KeyPair,
    /// What this end's stream begins with.
    pub header: Header,
}

/// Both directions of an encrypted stream.
#[derive(Debug)]
pub(crate) struct Encryption {
    sealer: Sealer,
    opening: Opening,
}

#[derive(Debug)]
enum Opening {
    /// The header comes first.
    Begin(StreamKey),
    Messages(Opener),
}

impl Encryption {
    /// `header` goes to the other end before everything else.
    pub(crate) fn new(keys: StreamKeys, header: &Header) -> Self {
        Self {
            sealer: Sealer::new(&keys.send, header),
            opening: Opening::Begin(keys.receive),
        }
    }

    pub(crate) fn seal(&mut self, data: &[u8]) -> Bytes {
        self.sealer.seal(data)
    }

    /// Opens what was sealed; nothing comes out of the header.
    pub(crate) fn open(&mut self, sealed: Bytes) -> Result<Bytes, OpenError> {
        match &mut self.opening {
            Opening::Begin(key) => {
                let header = Header::try_from(&sealed[..])?;
                self.opening = Opening::Messages(Opener::new(key, &header));
                Ok(Bytes::new())
            },
            Opening::Messages(opener) => opener.open(sealed),
        }
    }
}
