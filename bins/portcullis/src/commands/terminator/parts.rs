//! What the terminators of both APIs have in common.

use crate::column::Column;
use crate::commands::entity_command::Positional;
use crate::table::Table;
use portcullis_domain::identity::Precedence;
use std::marker::PhantomData;

/// A terminator of either API.
pub(crate) trait TerminatorParts {
    /// Name of the service.
    fn service(&self) -> &str;
    /// Name of the router.
    fn router(&self) -> &str;
    fn binding(&self) -> &str;
    fn address(&self) -> &str;
    /// Instance of the service; empty for none.
    fn instance(&self) -> &str;
    fn precedence(&self) -> Precedence;
    fn cost(&self) -> u16;
    fn dynamic_cost(&self) -> u16;
}

/// The columns that the tables of both have.
pub(crate) struct TerminatorColumns<T>(PhantomData<T>);

impl<T: TerminatorParts> TerminatorColumns<T> {
    pub(crate) const SERVICE: Column<T> =
        Column::new("service", "service", |one, _| one.service().into());
    pub(crate) const ROUTER: Column<T> =
        Column::new("router", "router", |one, _| one.router().into());
    pub(crate) const BINDING: Column<T> =
        Column::new("binding", "binding", |one, _| one.binding().into());
    pub(crate) const ADDRESS: Column<T> =
        Column::new("address", "address", |one, _| one.address().into());
    pub(crate) const PRECEDENCE: Column<T> = Column::new("precedence", "precedence", |one, _| {
        one.precedence().name().into()
    });
    pub(crate) const COST: Column<T> =
        Column::new("cost", "cost", |one, _| one.cost().to_string().into());
}

/// Fields of filters and orders.
pub(crate) const FIELDS: &[&str] = &[
    "binding",
    "address",
    "instanceId",
    "hostId",
    "sourceCtrl",
    "service",
    "router",
    "service.name",
    "router.name",
];

/// Fields that a search looks at.
pub(crate) const SEARCHED: &[&str] = &["service.name", "router.name", "address"];

/// The argument of commands about one terminator.
pub(crate) const REFERENCE: Positional = Positional {
    id: "id",
    value_name: "ID",
    help: "Id of the terminator, as shown by `list`",
};

/// The argument of commands about several terminators.
pub(crate) const TARGETS: Positional = Positional {
    id: "ids",
    value_name: "ID",
    help: "Ids, as shown by `list`",
};

/// What a terminator is called, which has no name.
pub(crate) fn label(terminator: &impl TerminatorParts) -> String {
    let (service, router) = (terminator.service(), terminator.router());
    format!("of {service} at {router}")
}

/// Adds where a terminator is.
pub(crate) fn add_place(table: Table, terminator: &impl TerminatorParts) -> Table {
    table
        .property("service", terminator.service())
        .property("router", terminator.router())
        .property("binding", terminator.binding())
        .property("address", terminator.address())
        .property("instance", terminator.instance())
}

/// Adds what decides when a terminator is chosen.
pub(crate) fn add_costs(table: Table, terminator: &impl TerminatorParts) -> Table {
    table
        .property("precedence", terminator.precedence().name())
        .property("cost", terminator.cost().to_string())
        .property("dynamic cost", terminator.dynamic_cost().to_string())
}
