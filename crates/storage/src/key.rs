//! How keys are laid out.
//!
//! | First byte | Row | Key |
//! |---|---|---|
//! | `00` | the store's own | tag |
//! | `01`..`EF` | record | kind, number, then for a dependent its kind and number |
//! | `FD` | reference | target's kind and number, referrer's kind and number |
//! | `FE` | unique value | index, form, value or its digest |
//!
//! Numbers are big-endian, so that byte order is numerical order and a record stands directly
//! before what depends on it. The tables of the upper half are written in these types only.

mod record;
mod reference;
mod unique;

pub use record::RecordKey;
pub use reference::ReferenceKey;
pub use unique::UniqueKey;

/// First byte of rows that belong to the store itself.
pub const META_TAG: u8 = 0x00;
const REFERENCE_TAG: u8 = 0xFD;
const UNIQUE_TAG: u8 = 0xFE;
const LAST_KIND: u8 = 0xEF;

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u8);

impl Kind {
    /// The kind with the byte `B`, which has to lie in `01`..`EF`; checked by the compiler.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_storage::key::Kind;
    ///
    /// const IDENTITY: Kind = Kind::of::<1>();
    /// assert_eq!(IDENTITY.byte(), 1);
    /// ```
    pub const fn of<const B: u8>() -> Self {
        const {
            assert!(B != META_TAG && B <= LAST_KIND, "not the byte of a kind");
        }
        Self(B)
    }

    /// The kind with the given byte, if it is one.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        if byte != META_TAG && byte <= LAST_KIND {
            Some(Self(byte))
        } else {
            None
        }
    }

    /// The byte that stands for the kind.
    pub const fn byte(self) -> u8 {
        self.0
    }
}

/// Bytes of a kind and a number.
const PART: usize = 9;

fn part(kind: Kind, number: u64) -> [u8; PART] {
    let mut bytes = [kind.0; PART];
    let (_, tail) = bytes.split_at_mut(1);
    tail.copy_from_slice(&number.to_be_bytes());
    bytes
}

fn parse_part(bytes: &[u8]) -> Option<(Kind, u64)> {
    let (kind, number) = bytes.split_first()?;
    let number = u64::from_be_bytes(number.try_into().ok()?);
    Some((Kind::from_byte(*kind)?, number))
}
