//! Measures a catalog of identities at three sizes.
//!
//! Run it with `cargo run --release -p portcullis-index --example measure`.

#![expect(clippy::print_stdout, reason = "a measurement shows what it found")]

use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{IdentityId, RecordNumber};
use portcullis_domain::roles::RoleAttributes;
use portcullis_index::{Catalog, CatalogBuilder, Direction, SortKey};
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: u32 = 1_000;

fn main() -> Result<(), Box<dyn Error>> {
    for count in [1_000, 100_000, 1_000_000] {
        measure(count)?;
    }
    Ok(())
}

fn measure(count: u64) -> Result<(), Box<dyn Error>> {
    println!("{count} identities");
    let mut taken = Duration::ZERO;
    let mut builder = CatalogBuilder::default();
    for number in 0..count {
        let identity = identity(number)?;
        let start = Instant::now();
        builder.put(RecordNumber(number), None, &identity);
        taken += start.elapsed();
    }
    let start = Instant::now();
    let mut catalog = builder.build();
    let sorting = start.elapsed();
    println!("  build: columns {taken:.1?}, orders {sorting:.1?}");
    let bytes = catalog.heap_bytes();
    println!("  memory: {} bytes per identity", bytes as u64 / count);
    pages(&catalog);
    changes(&mut catalog, count)
}

fn pages(catalog: &Catalog<Identity>) {
    let offset = 100_000.min(catalog.len() as u64 / 2);
    for sort in [SortKey::Id, SortKey::Name, SortKey::CreatedAt] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let start = Instant::now();
            for round in 0..ROUNDS {
                black_box(catalog.page(sort, direction, offset + u64::from(round % 50), 100));
            }
            let each = start.elapsed() / ROUNDS;
            println!("  page of 100 from {offset} by {sort:?} {direction:?}: {each:.1?}");
        }
    }
}

fn changes(catalog: &mut Catalog<Identity>, count: u64) -> Result<(), Box<dyn Error>> {
    let new = (count..count + u64::from(ROUNDS))
        .map(identity)
        .collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    for (number, identity) in (count..).zip(&new) {
        catalog.put(RecordNumber(number), None, identity);
    }
    let put = start.elapsed() / ROUNDS;
    let start = Instant::now();
    for identity in &new {
        black_box(catalog.find_by_id(identity.id.as_str()));
    }
    let find = start.elapsed() / ROUNDS;
    let start = Instant::now();
    for number in (0..count).step_by(usize::try_from(count)? / 1_000) {
        catalog.remove(RecordNumber(number));
    }
    let remove = start.elapsed() / 1_000;
    println!("  put {put:.1?}, find by id {find:.1?}, remove {remove:.1?}");
    Ok(())
}

/// Unordered ids and names, ascending creation times with repetitions.
fn identity(number: u64) -> Result<Identity, Box<dyn Error>> {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let name = format!("device-{:09}", mixed % 1_000_000_007);
    let mut spec = IdentitySpec::named(IdentityName::new(format!("{name}-{number}"))?);
    let roles = [format!("site-{}", number % 500), "devices".to_owned()];
    spec.role_attributes = RoleAttributes::new(roles)?;
    let id = IdentityId::from_wire(format!("{:011x}", mixed >> 20));
    let created_at = Timestamp::from_millisecond(i64::try_from(number / 3)?)?;
    Ok(Identity::new(id, spec, created_at))
}
