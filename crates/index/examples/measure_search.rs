//! Measures whole list pages, from the text of a filter to the numbers of the records, over
//! identities at three sizes, and what identities and authenticators cost in memory.
//!
//! Run it with `cargo run --release -p portcullis-index --example measure_search`.

#![expect(clippy::print_stdout, reason = "a measurement shows what it found")]

use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::change::Owner;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{AuthenticatorId, IdentityId, RecordNumber};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Listing, Parameters, Schema, Symbol};
use portcullis_index::{Catalog, CatalogBuilder};
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

static IDENTITIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("externalId"),
    Symbol::string("type"),
    Symbol::string("authPolicyId"),
    Symbol::boolean("isAdmin"),
    Symbol::boolean("isDefaultAdmin"),
    Symbol::set("roleAttributes"),
]);

/// Queries with page offsets.
const QUERIES: &[(&str, &str, u32)] = &[
    ("default order", "", 0),
    ("default order", "", 100_000),
    ("by name", "sort by name", 0),
    ("by name", "sort by name", 100_000),
    ("by creation, last first", "sort by createdAt desc", 100_000),
    ("exact name", r#"name = "device-000000000-0""#, 0),
    ("exact external id", r#"externalId = "mail-70@example""#, 0),
    ("role of 1 in 500", r#"anyOf(roleAttributes) = "site-7""#, 0),
    (
        "role of 1 in 500 by name",
        r#"anyOf(roleAttributes) = "site-7" sort by name"#,
        0,
    ),
    (
        "role of all by name",
        r#"anyOf(roleAttributes) = "devices" sort by name"#,
        0,
    ),
    (
        "role of all by name",
        r#"anyOf(roleAttributes) = "devices" sort by name"#,
        100_000,
    ),
    (
        "no role with a part",
        r#"not anyOf(roleAttributes) contains "site-1""#,
        0,
    ),
    ("three roles or more", "count(roleAttributes) > 2", 0),
    (
        "name contains, none",
        r#"name contains "nothing-like-it""#,
        0,
    ),
    ("name contains, rare", r#"name contains "-12345""#, 0),
    (
        "name contains, common",
        r#"name contains "77" sort by name"#,
        0,
    ),
    (
        "name contains, all",
        r#"name contains "device" sort by name"#,
        0,
    ),
    (
        "name contains, all, one letter",
        r#"name contains "e" sort by name"#,
        0,
    ),
    ("name contains, most, digit", r#"name contains "1""#, 0),
    (
        "name contains, all, far",
        r#"name contains "device" sort by name"#,
        100_000,
    ),
    ("name icontains, rare", r#"name icontains "-12345""#, 0),
    ("name icontains, all", r#"name icontains "DEVICE""#, 0),
    (
        "contains and role",
        r#"name contains "77" and anyOf(roleAttributes) = "site-7""#,
        0,
    ),
    (
        "name or id contains",
        r#"name contains "abc" or id contains "abc""#,
        0,
    ),
    ("external id contains", r#"externalId contains "70@""#, 0),
    ("name from the middle on", r#"name >= "device-5""#, 0),
    (
        "name of a prefix",
        r#"name >= "device-50" and name < "device-51" sort by name"#,
        0,
    ),
    (
        "changed since",
        "updatedAt > datetime(1970-01-01T00:00:00.100Z)",
        0,
    ),
    ("not an administrator", "not isAdmin sort by name", 0),
    ("by change", "sort by updatedAt desc", 0),
    ("by flag, then name", "sort by isAdmin desc, name", 0),
    ("by external id", "sort by externalId desc", 0),
    ("by external id", "sort by externalId desc", 100_000),
];

fn main() -> Result<(), Box<dyn Error>> {
    for count in [1_000, 100_000, 1_000_000] {
        let mut builder = CatalogBuilder::default();
        for number in 0..count {
            builder.put(RecordNumber(number), None, &identity(number)?);
        }
        let catalog = builder.build();
        let bytes = catalog.heap_bytes() as u64;
        println!("{count} identities, {} bytes each", bytes / count);
        for (what, filter, offset) in QUERIES {
            pages(&catalog, what, filter, *offset)?;
        }
        authenticators(count);
    }
    Ok(())
}

/// Times one page again and again.
fn pages(
    catalog: &Catalog<Identity>,
    what: &str,
    filter: &str,
    offset: u32,
) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    let mut total = 0;
    let begun = Instant::now();
    while times.len() < 20 || (begun.elapsed() < Duration::from_millis(600) && times.len() < 500) {
        let start = Instant::now();
        let parameters = Parameters {
            filter: Some(filter),
            limit: Some("100"),
            offset: Some(&offset.to_string()),
            sort: None,
        };
        let listing = Listing::from_parameters(&IDENTITIES, &parameters)?;
        let matches = catalog.search(&listing.predicate);
        total = matches.len();
        let range = listing.page.range(total);
        black_box(catalog.page_in(&matches, &listing.order, range));
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let at = |percent: usize| {
        times
            .get(times.len() * percent / 100)
            .copied()
            .unwrap_or_default()
    };
    let (best, median, late) = (at(0), at(50), at(99));
    println!(
        "  {what:32} from {offset:6}: best {best:>7.1?}, median {median:>7.1?}, p99 {late:>7.1?}; \
         {total} match"
    );
    Ok(())
}

fn authenticators(count: u64) {
    let mut builder = CatalogBuilder::default();
    for number in 0..count {
        builder.put(
            RecordNumber(number),
            Some(Owner::Identity(RecordNumber(number))),
            &authenticator(number),
        );
    }
    let bytes = builder.build().heap_bytes() as u64;
    println!("  {count} authenticators, {} bytes each", bytes / count);
}

/// Ids and names in no order; times ascending with repetitions; one in ten with an external id.
fn identity(number: u64) -> Result<Identity, Box<dyn Error>> {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let name = format!("device-{:09}-{number}", mixed % 1_000_000_007);
    let mut spec = IdentitySpec::named(IdentityName::new(name)?);
    let roles = [format!("site-{}", number % 500), "devices".to_owned()];
    spec.role_attributes = RoleAttributes::new(roles)?;
    spec.is_admin = number.is_multiple_of(1_000);
    spec.external_id = number
        .is_multiple_of(10)
        .then(|| format!("mail-{number}@example"));
    let created_at = Timestamp::from_millisecond(i64::try_from(number / 3)?)?;
    let mut identity = Identity::new(id(number), spec, created_at);
    identity.updated_at = Timestamp::from_millisecond(i64::try_from(mixed % 1_000)?)?;
    Ok(identity)
}

fn authenticator(number: u64) -> Authenticator {
    Authenticator {
        id: AuthenticatorId::from_wire(format!("{number:011x}")),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        tags: Tags::default(),
        identity: id(number),
        credential: Credential::Cert(CertCredential::new(String::new(), String::new(), true)),
    }
}

fn id(number: u64) -> IdentityId {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    IdentityId::from_wire(format!("{:011x}", mixed >> 20))
}
