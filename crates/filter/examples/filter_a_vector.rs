//! Filters, sorts and pages rows in memory.
//!
//! `cargo run -p portcullis-filter --example filter_a_vector -- 'anyOf(roles) = "web" sort by name'`
//!
//! Examples to try:
//!
//! - `name contains "i" and port < 100 or isEmpty(roles)`: there is no precedence, as the output shows
//! - `not anyOf(roles) in ["web", "docs"] limit 1`: the total counts all pages
//! - `prot = 25` and `port = "25"`: errors point at the mistake

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use portcullis_filter::{Listing, ListingError, Parameters, Row, Value, VisitElement, symbols};
use std::env;
use std::ops::ControlFlow;

symbols! {
    enum ServiceSymbol;
    static SERVICES: Schema::new;
    Id => string("id"),
    Name => string("name"),
    Port => integer("port"),
    Roles => set("roles"),
}

struct Service {
    id: &'static str,
    name: &'static str,
    port: i64,
    roles: &'static [&'static str],
}

impl Row for Service {
    type Symbol = ServiceSymbol;

    fn value(&self, symbol: ServiceSymbol) -> Value<'_> {
        match symbol {
            ServiceSymbol::Id => self.id.into(),
            ServiceSymbol::Name => self.name.into(),
            ServiceSymbol::Port => self.port.into(),
            ServiceSymbol::Roles => Value::Missing, // a set has no single value
        }
    }

    fn elements(&self, _set: ServiceSymbol, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        self.roles.iter().try_for_each(|role| visit(role))
    }
}

fn main() {
    let services = vec![
        Service {
            id: "s1",
            name: "wiki",
            port: 443,
            roles: &["web", "docs"],
        },
        Service {
            id: "s2",
            name: "mail",
            port: 25,
            roles: &[],
        },
        Service {
            id: "s3",
            name: "shop",
            port: 8443,
            roles: &["web"],
        },
    ];
    let filter = env::args()
        .nth(1)
        .unwrap_or_else(|| "port > 100 sort by port desc".to_owned());
    let parameters = Parameters {
        filter: Some(&filter),
        ..Parameters::default()
    };
    match Listing::from_parameters(&SERVICES, &parameters) {
        Ok(listing) => {
            let page = listing.select(&services);
            println!("read as: {}", listing.predicate);
            println!("{} of {} services match", page.total, services.len());
            for service in page.rows {
                println!("{} {}:{}", service.id, service.name, service.port);
            }
        },
        Err(ListingError::Filter(error)) => println!("{error}\n{}", error.point_at(&filter)),
        Err(error) => println!("{error}"),
    }
}
