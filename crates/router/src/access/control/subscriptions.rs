//! What subscribed SDKs are told.

use super::AccessControl;
use crate::access::model::DataModel;
use crate::access::services::{ServiceView, ToldServices};
use crate::access::verifier::TokenVerifier;
use crate::edge::ChannelId;
use portcullis_domain::clock::Timestamp;
use portcullis_posture::Client;
use portcullis_wire::Timestamp as WireTimestamp;
use portcullis_wire::edge::{CheckState, PolicyState, PostureStateChange, ServiceChangeSet};
use std::collections::BTreeSet;

impl<V: TokenVerifier> AccessControl<V> {
    /// All services of a channel's identity, for an SDK that subscribes. From now on, changes of them are
    /// told by [`service_changes`](Self::service_changes).
    pub fn subscribe(&mut self, channel: ChannelId) -> ServiceChangeSet {
        let view = self.service_view(channel);
        self.told.insert(channel, view.to_told());
        ServiceChangeSet {
            index: self.told_index(),
            previous_index: -1,
            ..view.since(&ToldServices::default())
        }
    }

    /// The SDK does not want to be told any more.
    pub fn unsubscribe(&mut self, channel: ChannelId) {
        self.told.remove(&channel);
    }

    /// What has changed since the SDK of a channel was told; `None` for nothing, or if it has not
    /// subscribed. The previous index is for the channel to set.
    pub fn service_changes(&mut self, channel: ChannelId) -> Option<ServiceChangeSet> {
        let view = self.service_view(channel);
        let told = self.told.get_mut(&channel)?;
        let now = view.to_told();
        if *told == now {
            return None;
        }
        let changes = view.since(told);
        *told = now;
        Some(ServiceChangeSet {
            index: self.told_index(),
            ..changes
        })
    }

    fn service_view(&self, channel: ChannelId) -> ServiceView {
        let session = self.clients.session_of(channel);
        session.map_or_else(ServiceView::default, |(_, session)| {
            ServiceView::new(self.model(), session.identity.as_str())
        })
    }

    /// Which checks and policies of the services of a channel's identity are passed. The sequence number is
    /// for the channel to set.
    pub fn posture_state(&self, channel: ChannelId, now: Timestamp) -> PostureStateChange {
        let Some((_, session)) = self.clients.session_of(channel) else {
            return PostureStateChange::default();
        };
        let view = self.service_view(channel);
        let client = session.posture.client();
        let states: Vec<_> = view
            .checks
            .keys()
            .map(|id| check_state(self.model(), id, &client, now))
            .collect();
        let passing: BTreeSet<&str> = states
            .iter()
            .filter(|state| state.is_passing)
            .map(|state| state.id.as_str())
            .collect();
        let policies = view.policies.values().map(|policy| PolicyState {
            id: policy.id.clone(),
            is_passing: policy
                .posture_check_ids
                .iter()
                .all(|id| passing.contains(id.as_str())),
        });
        PostureStateChange {
            structural_index: self.version,
            time: Some(wire_time(now)),
            policies: policies.collect(),
            checks: states,
            ..PostureStateChange::default()
        }
    }

    fn told_index(&self) -> i64 {
        i64::try_from(self.version).unwrap_or(i64::MAX)
    }
}

fn check_state(model: &DataModel, id: &str, client: &Client<'_>, now: Timestamp) -> CheckState {
    let verdict = model.evaluate_check(id, client, now);
    let remaining = verdict.and_then(|verdict| verdict.remaining);
    CheckState {
        id: id.to_owned(),
        is_passing: verdict.is_some_and(|verdict| verdict.is_passing),
        timeout_at: verdict
            .and_then(|verdict| verdict.timeout_at)
            .map(wire_time),
        timeout_remaining_seconds: remaining
            .map_or(-1, |seconds| i32::try_from(seconds).unwrap_or(i32::MAX)),
    }
}

fn wire_time(at: Timestamp) -> WireTimestamp {
    WireTimestamp {
        seconds: at.as_second(),
        nanos: at.subsec_nanosecond(),
    }
}
