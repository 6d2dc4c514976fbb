//! How one message leads to the next, as in libsodium's `crypto_secretstream_xchacha20poly1305`.

use std::fmt;

use chacha20::cipher::{KeyIvInit as _, StreamCipher as _};
use chacha20::{ChaCha20, R20, hchacha};
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit as _, UniversalHash as _};
use subtle::ConstantTimeEq as _;
use zeroize::{Zeroize as _, Zeroizing};

use super::{Header, OpenError};
use crate::key_exchange::StreamKey;

pub(super) const MAC_LEN: usize = 16;

/// Bit of a tag: both ends derive a new key after this message.
const TAG_REKEY: u8 = 2;

const KEY_LEN: usize = 32;
const BLOCK_LEN: usize = 64;
const COUNTER_LEN: usize = 4;
/// Part of the nonce that depends on all messages so far.
const CHAIN_LEN: usize = 8;

/// Key and nonce of the next message.
pub(super) struct State {
    key: [u8; KEY_LEN],
    counter: u32,
    chain: [u8; CHAIN_LEN],
}

impl State {
    pub(super) fn new(key: &StreamKey, header: &Header) -> Self {
        let mut input = [0; Header::LEN - CHAIN_LEN];
        let mut chain = [0; CHAIN_LEN];
        let (for_key, for_nonce) = header.0.split_at(input.len());
        input.copy_from_slice(for_key);
        chain.copy_from_slice(for_nonce);
        Self {
            key: hchacha::<R20>(&(*key.expose()).into(), &input.into()).into(),
            counter: 1,
            chain,
        }
    }

    /// Encrypts tag and body in place, and returns the authenticator.
    pub(super) fn encrypt(
        &mut self,
        tag: u8,
        sealed_tag: &mut u8,
        body: &mut [u8],
    ) -> [u8; MAC_LEN] {
        let mut message = self.message();
        let tag_block = message.tag_block(tag);
        *sealed_tag = tag_block.first().copied().unwrap_or_default();
        message.cipher.apply_keystream(body);
        let mac = message.authenticate(&tag_block, body);
        self.advance(tag, &mac);
        mac
    }

    /// Decrypts a body in place, if it is authentic.
    pub(super) fn decrypt(
        &mut self,
        sealed_tag: u8,
        body: &mut [u8],
        mac: &[u8],
    ) -> Result<(), OpenError> {
        let mut message = self.message();
        let mut tag_block = message.tag_block(sealed_tag);
        let [first, ..] = &mut tag_block;
        let tag = std::mem::replace(first, sealed_tag);
        let expected = message.authenticate(&tag_block, body);
        if !bool::from(expected.ct_eq(mac)) {
            return Err(OpenError::Message);
        }
        message.cipher.apply_keystream(body);
        self.advance(tag, &expected);
        Ok(())
    }

    fn cipher(&self) -> ChaCha20 {
        let mut nonce = [0; COUNTER_LEN + CHAIN_LEN];
        let (counter, chain) = nonce.split_at_mut(COUNTER_LEN);
        counter.copy_from_slice(&self.counter.to_le_bytes());
        chain.copy_from_slice(&self.chain);
        ChaCha20::new(&self.key.into(), &nonce.into())
    }

    /// The first block of a message's key stream is for the authenticator, the second one for the tag, the
    /// others for the body.
    fn message(&self) -> Message {
        let mut cipher = self.cipher();
        let mut block = Zeroizing::new([0; BLOCK_LEN]);
        cipher.apply_keystream(block.as_mut_slice());
        let mut key = Zeroizing::new([0; KEY_LEN]);
        key.copy_from_slice(block.split_at(KEY_LEN).0);
        Message {
            cipher,
            authenticator: Poly1305::new(&(*key).into()),
        }
    }

    fn advance(&mut self, tag: u8, mac: &[u8; MAC_LEN]) {
        for (chain, mac) in self.chain.iter_mut().zip(mac) {
            *chain ^= mac;
        }
        self.counter = self.counter.wrapping_add(1);
        if tag & TAG_REKEY != 0 || self.counter == 0 {
            self.rekey();
        }
    }

    fn rekey(&mut self) {
        let mut cipher = self.cipher();
        cipher.apply_keystream(&mut self.key);
        cipher.apply_keystream(&mut self.chain);
        self.counter = 1;
    }
}

impl fmt::Debug for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("State(…)")
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.key.zeroize();
        self.chain.zeroize();
    }
}

/// What one message is encrypted and authenticated with.
struct Message {
    cipher: ChaCha20,
    authenticator: Poly1305,
}

impl Message {
    fn tag_block(&mut self, tag: u8) -> [u8; BLOCK_LEN] {
        let mut block = [0; BLOCK_LEN];
        let [first, ..] = &mut block;
        *first = tag;
        self.cipher.apply_keystream(&mut block);
        block
    }

    /// Authenticates the block with the sealed tag, the sealed body, padding and lengths.
    fn authenticate(&self, tag_block: &[u8; BLOCK_LEN], body: &[u8]) -> [u8; MAC_LEN] {
        let mut authenticator = self.authenticator.clone();
        let (blocks, rest) = poly1305::Block::slice_as_chunks(body);
        authenticator.update_padded(tag_block);
        authenticator.update(blocks);
        let mut end = Vec::with_capacity(3 * MAC_LEN);
        end.extend_from_slice(rest);
        // As much as there is of the last block, not as much as it lacks: that is how libsodium does it.
        end.resize(2 * rest.len(), 0);
        end.extend_from_slice(&0_u64.to_le_bytes());
        let authenticated = (BLOCK_LEN + body.len()) as u64;
        end.extend_from_slice(&authenticated.to_le_bytes());
        authenticator.compute_unpadded(&end).into()
    }
}
