//! Encryption between the ends of a circuit, which routers between them cannot read.
//!
//! It is what OpenZiti's SDKs speak by default: libsodium's [key exchange] (X25519 and `BLAKE2b`), and
//! one [secret stream] (XChaCha20-Poly1305) for each direction. This crate arranges primitives of other crates
//! accordingly; it does no I/O, and draws no random numbers.
//!
//! ```text
//! dialing end (client)                          hosting end (server)
//! public key     ---- peer data 1003 ---->      public key, stream keys
//! stream keys    <--- peer data 1003 ----
//! header (24 bytes), then messages  ------->    Opener
//! Opener         <------- header (24 bytes), then messages
//! ```
//!
//! The first segment of a direction is the [`Header`]. Each further segment with data is one sealed message,
//! [`OVERHEAD`] bytes longer than what it was made of. Messages cannot be changed, left out, doubled or put
//! into another order without notice; that the last ones are missing is not noticed.
//!
//! # Examples
//!
//! ```
//! use portcullis_e2e_encryption::{Header, KeyPair, Opener, Role, Sealer};
//!
//! let dialing = KeyPair::from_secret([1; 32])?; // random bytes in earnest
//! let hosting = KeyPair::from_secret([2; 32])?;
//! let dialing_keys = dialing.agree(Role::Client, &hosting.public_key())?;
//! let hosting_keys = hosting.agree(Role::Server, &dialing.public_key())?;
//!
//! let header = Header([3; Header::LEN]); // random bytes, too
//! let mut sealer = Sealer::new(&dialing_keys.send, &header);
//! let mut opener = Opener::new(&hosting_keys.receive, &header);
//! assert_eq!(opener.open(sealer.seal(b"hello"))?, "hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [key exchange]: https://doc.libsodium.org/key_exchange
//! [secret stream]: https://doc.libsodium.org/secret-key_cryptography/secretstream

mod key_exchange;
mod secret_stream;

pub use key_exchange::{KeyExchangeError, KeyPair, PublicKey, Role, StreamKey, StreamKeys};
pub use secret_stream::{Header, OVERHEAD, OpenError, Opener, Sealer};
