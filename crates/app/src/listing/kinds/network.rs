//! Lists of links and circuits, which are kept in memory.

use crate::listing::listable::text_value;
use portcullis_domain::ids::TerminatorId;
use portcullis_domain::view::{CircuitView, LinkView};
use portcullis_filter::{Row, Value, symbols};
use std::time::Duration;

symbols! {
    pub(crate) enum LinkSymbol;
    /// Links between routers.
    pub static LINKS: Schema::new;
    Id => string("id"),
    Protocol => string("protocol"),
    DialAddress => string("dialAddress"),
    SourceRouter => string("sourceRouter"),
    DestinationRouter => string("destRouter"),
    State => string("state"),
    Cost => integer("cost"),
    StaticCost => integer("staticCost"),
    SourceLatency => integer("sourceLatency"),
    DestinationLatency => integer("destLatency"),
    Iteration => integer("iteration"),
}

symbols! {
    pub(crate) enum CircuitSymbol;
    /// Circuits.
    pub static CIRCUITS: Schema::new;
    Id => string("id"),
    Client => string("clientId"),
    Service => string("service"),
    Terminator => string("terminator"),
    CreatedAt => datetime("createdAt"),
    UpdatedAt => datetime("updatedAt"),
}

/// A link as a row.
pub(crate) struct LinkRow(pub(crate) LinkView);

/// A circuit as a row.
pub(crate) struct CircuitRow(pub(crate) CircuitView);

impl Row for LinkRow {
    type Symbol = LinkSymbol;

    fn value(&self, symbol: LinkSymbol) -> Value<'_> {
        let Self(link) = self;
        match symbol {
            LinkSymbol::Id => text_value(link.id.as_str()),
            LinkSymbol::Protocol => text_value(&link.protocol),
            LinkSymbol::DialAddress => text_value(&link.dial_address),
            LinkSymbol::SourceRouter => text_value(link.source.as_str()),
            LinkSymbol::DestinationRouter => text_value(link.destination.as_str()),
            LinkSymbol::State => text_value(LinkView::STATE),
            LinkSymbol::Cost => i64::from(link.cost).into(),
            LinkSymbol::StaticCost => i64::from(link.static_cost).into(),
            LinkSymbol::SourceLatency => nanoseconds(link.source_latency).into(),
            LinkSymbol::DestinationLatency => nanoseconds(link.destination_latency).into(),
            LinkSymbol::Iteration => i64::from(link.iteration).into(),
        }
    }
}

impl Row for CircuitRow {
    type Symbol = CircuitSymbol;

    fn value(&self, symbol: CircuitSymbol) -> Value<'_> {
        let Self(circuit) = self;
        match symbol {
            CircuitSymbol::Id => text_value(circuit.id.as_str()),
            CircuitSymbol::Client => text_value(circuit.client.as_str()),
            CircuitSymbol::Service => text_value(circuit.service.as_str()),
            CircuitSymbol::Terminator => {
                circuit.terminator.as_ref().map(TerminatorId::as_str).into()
            },
            CircuitSymbol::CreatedAt | CircuitSymbol::UpdatedAt => {
                Value::Datetime(circuit.created_at)
            },
        }
    }
}

fn nanoseconds(latency: Duration) -> i64 {
    i64::try_from(latency.as_nanos()).unwrap_or(i64::MAX)
}
