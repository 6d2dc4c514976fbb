//! The task of a channel.

use super::shared::Shared;
use super::state::Plan;
use super::{Stop, Updates};
use crate::posture;
use futures_util::FutureExt as _;
use portcullis_channel::{Frame, Moment, Priority};
use portcullis_domain::posture::Report;
use portcullis_sdk_proto::{ApiSession, TokenError};
use portcullis_transport::Inbox;
use std::future::pending;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Messages that are read in a row before other things have their turn.
const BATCH: usize = 64;

/// Runs until the channel has ended.
pub(super) async fn run(
    shared: Arc<Shared>,
    mut inbox: Inbox,
    shown: ApiSession,
    mut updates: Updates,
) {
    let mut shown = shown.token;
    // It may have been told before there was this channel.
    updates.stop.mark_changed();
    let mut plan = shared.plan();
    let mut ends_by = None;
    while !plan.has_ended {
        plan = tokio::select! {
            // What has arrived before a deadline counts.
            biased;
            session = updates.sessions.next() => {
                if session.token != shown {
                    shown = session.token.clone();
                    show(&shared, session);
                }
                shared.plan()
            },
            Ok(()) = updates.stop.changed() => {
                let stop = *updates.stop.borrow_and_update();
                if let Stop::By(at) = stop {
                    ends_by = Some(at);
                }
                shared.drive(|state, now| state.stop(stop, now))
            },
            () = at(ends_by) => {
                ends_by = None;
                shared.drive(|state, now| state.edge.shut_down(now))
            },
            Ok(()) = updates.posture.changed() => report(&shared, &mut updates.posture),
            frame = inbox.next(), if plan.wants_input => read(&shared, &mut inbox, frame),
            _why = shared.handle.closed(), if !plan.wants_input => {
                shared.drive(|state, now| state.edge.handle_disconnect(now))
            },
            () = shared.work.notified() => shared.plan(),
            () = room(&shared, plan.held) => shared.drive(|_, _| ()),
            () = deadline(&shared, plan.timeout) => {
                shared.drive(|state, now| state.edge.handle_timeout(now))
            },
        };
    }
    shared.handle.close();
}

/// Handles a message and those that have arrived behind it, then the deadlines that have passed meanwhile.
fn read(shared: &Shared, inbox: &mut Inbox, first: Option<Frame>) -> Plan {
    let mut next = Some(first);
    let mut count = 0;
    while let Some(frame) = next.take() {
        let plan = shared.drive(|state, now| match frame {
            Some(frame) => state.edge.handle_frame(frame, now),
            None => state.edge.handle_disconnect(now),
        });
        count += 1;
        if plan.wants_input && !plan.has_ended && count < BATCH {
            next = inbox.next().now_or_never();
        }
    }
    shared.drive(|state, now| state.edge.handle_timeout(now))
}

/// Shows the router a new session.
fn show(shared: &Shared, session: ApiSession) {
    let ApiSession { token, expires_at } = session;
    shared.drive(
        |state, now| match state.edge.update_token(token, expires_at, now) {
            Ok(()) | Err(TokenError::Ended) => {},
            // The router ends what belongs to the session before.
            Err(TokenError::Legacy) => state.is_outdated = true,
            Err(error @ TokenError::TooLong) => {
                tracing::warn!(%error, "a router cannot be shown the new access token");
            },
        },
    );
}

/// Tells the router of the machine's posture.
pub(super) fn report(shared: &Shared, posture: &mut watch::Receiver<Arc<[Report]>>) -> Plan {
    let reports = Arc::clone(&posture.borrow_and_update());
    let responses = posture::responses(&reports);
    shared.drive(|state, _| {
        if !responses.is_empty() && state.edge.report_posture(responses).is_err() {
            tracing::debug!("a router judges posture by what controllers say");
        }
    })
}

async fn room(shared: &Shared, held: Option<Priority>) {
    match held {
        Some(priority) => shared.handle.writable(priority).await,
        None => pending().await,
    }
}

async fn deadline(shared: &Shared, timeout: Option<Moment>) {
    at(timeout.map(|at| shared.clock.instant(at))).await;
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}
