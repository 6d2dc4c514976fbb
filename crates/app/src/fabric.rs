//! Links, circuits and inspection: the network at the moment, which has no records.

mod channel_operations;
mod circuits;
mod inspection;
mod link_routers;
mod links;
mod names;
mod validated;

pub use crate::redaction::redact;
pub use channel_operations::{ChannelOperation, audit_operations};
pub use circuits::{delete_circuit, list_circuits, read_circuit};
pub use inspection::{AppValue, Inspection, inspect};
pub(crate) use link_routers::LinkRoutersById;
pub use links::{change_link, delete_link, list_links, read_link};
pub use names::router_names;

pub use validated::{
    delete_terminators, select_hosts, select_routers, select_terminators, terminators_at,
};

pub use crate::state::HeldValues;

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::{Access, Action, Permit};
use portcullis_domain::permission::{Subject, Verb};

actions! {
    /// Reads links and circuits.
    Read = Access::Granted(Subject::Ops, Verb::Read);
    /// Changes links.
    Update = Access::Granted(Subject::Ops, Verb::Update);
    /// Ends links and circuits.
    Delete = Access::Granted(Subject::Ops, Verb::Delete);
    /// Inspects controllers and routers.
    Inspect = Access::GrantedExplicitly(Subject::Ops, Verb::Read);
    /// Opens the management channel, which has the events and validations of the network.
    OpenChannel = Access::GrantedWhole(Subject::Ops);
    /// Manages the cluster of controllers.
    ManageCluster = Access::Admin;
}

/// Records in the audit trail what the caller is about to do, if it still may.
async fn audited<A: Action>(
    app: &App,
    permit: &Permit<A>,
    operation: &'static str,
    entity: &str,
) -> Result<(), AppError> {
    let entity = entity.to_owned();
    app.commit_for(permit, move |rows, _caller| {
        rows.set_operation(operation, &entity);
        Ok(())
    })
    .await
}
