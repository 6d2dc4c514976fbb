//! The end of what may not stay: circuits and terminators whose right has ended.
//!
//! A right ends by what is committed, by what clients report about their machines, or by time alone.
//! Commits are looked through for what they may have taken away; for most of them that is nothing. Else
//! the rights in use are judged again, those of clients and those of hosts.
//!
//! A dial is judged before the network knows of it. So each circuit is judged once more when it is
//! established, or adopted: what was committed in between counts, and it is known then when to judge it
//! again.

mod due;
mod rights_in_use;

use crate::plane::Plane;
use due::DueRights;
use portcullis_app::rights::{self, RightInUse, RightsWatch, Verdict};
use portcullis_app::{AppError, hosting};
use portcullis_domain::change::Change;
use portcullis_domain::clock::SignedDuration;
use portcullis_fabric::{CircuitEvent, CircuitId, Fabric};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};

/// How often is looked for terminators whose right has ended by time.
const SWEEP_INTERVAL: Duration = Duration::from_secs(10);
/// When to try again what could not be judged.
const RETRY: SignedDuration = SignedDuration::from_secs(1);

/// What tells of news.
#[derive(Debug, Clone)]
pub(crate) struct Enforcement(mpsc::UnboundedSender<News>);

/// What may end rights.
#[derive(Debug)]
pub(crate) enum News {
    /// Committed changes, which the read model has already.
    Committed(Vec<Change>),
    /// Commits were missed.
    Everything,
    /// A circuit is in use.
    Established(CircuitId),
    /// A circuit has ended.
    Ended(CircuitId),
}

/// The receiving side.
pub(crate) type Inbox = mpsc::UnboundedReceiver<News>;

impl Enforcement {
    pub(crate) fn new() -> (Self, Inbox) {
        let (sender, inbox) = mpsc::unbounded_channel();
        (Self(sender), inbox)
    }

    pub(crate) fn tell(&self, news: News) {
        // Nobody is there any more when the controller stops.
        let _ = self.0.send(news);
    }

    /// Takes note of what has happened to a circuit.
    pub(crate) fn follow(&self, event: CircuitEvent) {
        match event {
            CircuitEvent::Created(circuit) => {
                self.tell(News::Established(circuit.names.circuit));
            },
            CircuitEvent::Adopted(circuit) => self.tell(News::Established(circuit)),
            CircuitEvent::Ended { circuit, .. } => self.tell(News::Ended(circuit.names.circuit)),
            CircuitEvent::PathChanged(_) | CircuitEvent::Failed { .. } => {},
        }
    }
}

/// What has come and was not looked at.
#[derive(Default)]
struct Pending {
    changes: Vec<Change>,
    established: Vec<CircuitId>,
}

/// Ends what may not stay, until the controller stops.
pub(crate) async fn run(plane: Arc<Plane>, mut inbox: Inbox) {
    let mut watch = RightsWatch::new(&plane.app);
    let mut due = DueRights::default();
    let mut sweeps = interval_at(Instant::now() + SWEEP_INTERVAL, SWEEP_INTERVAL);
    sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let mut pending = Pending::default();
        tokio::select! {
            news = inbox.recv() => {
                let Some(news) = news else {
                    return;
                };
                pending.take(news, &mut watch, &mut due);
                // Those that have come meanwhile are looked at together.
                while let Ok(news) = inbox.try_recv() {
                    pending.take(news, &mut watch, &mut due);
                }
            },
            () = rights::posture_changed(&plane.app) => watch.note_posture(&plane.app),
            () = sleep(wait(&plane, &watch, &due)) => {
                pending.established = due.take(plane.app.env().now());
            },
            _ = sweeps.tick() => report(hosting::sweep(&plane.app).await),
        }
        judge_some(&plane, &pending.established, &mut due);
        if !watch.is_quiet() {
            judge_all(&plane, &mut watch, &mut due);
        }
        if !pending.changes.is_empty() {
            report(hosting::end_without_right(&plane.app, &pending.changes).await);
        }
    }
}

/// How long to wait if there is no news; what was noted and could not be judged is judged again soon.
fn wait(plane: &Plane, watch: &RightsWatch, due: &DueRights) -> Duration {
    let wait = due.wait(plane.app.env().now());
    if watch.is_quiet() {
        wait
    } else {
        wait.min(RETRY.unsigned_abs())
    }
}

impl Pending {
    fn take(&mut self, news: News, watch: &mut RightsWatch, due: &mut DueRights) {
        match news {
            News::Committed(committed) => {
                watch.note(&committed);
                self.changes.extend(committed);
            },
            News::Everything => watch.note_everything(),
            News::Established(circuit) => self.established.push(circuit),
            News::Ended(circuit) => due.remove(&circuit),
        }
    }
}

/// A right that a circuit depends on.
type InUse = (CircuitId, RightInUse);

/// Judges the circuits that the news may concern.
fn judge_all(plane: &Plane, watch: &mut RightsWatch, due: &mut DueRights) {
    let in_use = plane.network.read(rights_in_use::of_all);
    let rights: Vec<RightInUse> = in_use.iter().map(|(_, right)| right.clone()).collect();
    match watch.judge(&plane.app, &rights) {
        Ok(verdicts) => {
            for (place, verdict) in verdicts {
                if let Some((circuit, _)) = in_use.get(place) {
                    follow(plane, due, circuit, verdict);
                }
            }
        },
        // What was noted stays noted.
        Err(error) => tracing::error!(%error, "rights in use cannot be judged"),
    }
}

/// Judges some circuits.
fn judge_some(plane: &Plane, circuits: &[CircuitId], due: &mut DueRights) {
    if circuits.is_empty() {
        return;
    }
    let in_use: Vec<InUse> = plane
        .network
        .read(|fabric| rights_in_use::of_some(fabric, circuits));
    let rights: Vec<RightInUse> = in_use.iter().map(|(_, right)| right.clone()).collect();
    match rights::judge_again(&plane.app, &rights) {
        Ok(verdicts) => {
            for ((circuit, _), verdict) in in_use.iter().zip(verdicts) {
                follow(plane, due, circuit, verdict);
            }
        },
        Err(error) => {
            tracing::error!(%error, "the rights of circuits cannot be judged");
            let soon = plane.app.env().now() + RETRY;
            for circuit in circuits {
                due.add(circuit.clone(), soon);
            }
        },
    }
}

fn follow(plane: &Plane, due: &mut DueRights, circuit: &CircuitId, verdict: Verdict) {
    match verdict {
        Verdict::Ended => {
            let revoke = |fabric: &mut Fabric, _| fabric.revoke_circuit(circuit);
            if plane.network.change(revoke) {
                tracing::info!(
                    circuit = circuit.as_str(),
                    "a circuit was ended with its right"
                );
            }
        },
        Verdict::Stays { judge_again_at } => {
            if let Some(at) = judge_again_at {
                due.add(circuit.clone(), at);
            }
        },
    }
}

fn report(ended: Result<usize, AppError>) {
    match ended {
        Ok(0) => {},
        Ok(count) => tracing::info!(count, "terminators without a right to host were removed"),
        Err(error) => {
            tracing::warn!(%error, "terminators without a right to host may still be there");
        },
    }
}
