//! Terminators whose router comes or goes.

use crate::event::router;
use serde::Serialize;
use std::sync::Arc;

/// The router of a terminator came or went.
#[derive(Debug, Clone)]
pub struct TerminatorStatus {
    pub is_router_online: bool,
    pub service_id: Arc<str>,
    pub terminator_id: Arc<str>,
    pub router_id: Arc<str>,
    /// The identity that hosts.
    pub host_id: Arc<str>,
    pub instance_id: Arc<str>,
    /// `default`, `required` or `failed`.
    pub precedence: &'static str,
    pub static_cost: u16,
    pub dynamic_cost: u16,
    /// Of the service, if that is known: all, and those with these precedences whose router is online.
    pub total: Option<u32>,
    pub usable_default: Option<u32>,
    pub usable_required: Option<u32>,
}

impl TerminatorStatus {
    pub(crate) fn wire_form(&self) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Wire<'e> {
            event_type: &'static str,
            service_id: &'e str,
            terminator_id: &'e str,
            router_id: &'e str,
            host_id: &'e str,
            instance_id: &'e str,
            router_online: bool,
            precedence: &'static str,
            static_cost: u16,
            dynamic_cost: u16,
            total_terminators: i64,
            usable_default_terminators: i64,
            usable_required_terminators: i64,
        }
        let number = |count: Option<u32>| count.map_or(-1, i64::from);
        Wire {
            event_type: router::event_type(self.is_router_online),
            service_id: &self.service_id,
            terminator_id: &self.terminator_id,
            router_id: &self.router_id,
            host_id: &self.host_id,
            instance_id: &self.instance_id,
            router_online: self.is_router_online,
            precedence: self.precedence,
            static_cost: self.static_cost,
            dynamic_cost: self.dynamic_cost,
            total_terminators: number(self.total),
            usable_default_terminators: number(self.usable_default),
            usable_required_terminators: number(self.usable_required),
        }
    }
}
