//! The end of what may not stay: circuits and terminators whose right has ended.
//!
//! A right ends by what is committed, by what clients report about their machines, or by time alone.
//! Commits are looked through for what they may have taken away; for most of them that is nothing. Else
//! the rights in use are judged again, those of clients and those of hosts: those of some identities, if no
//! others are concerned.
//!
//! A dial is judged before the network knows of it. So each circuit is judged once more when it is
//! established, or adopted: what was committed in between counts, and it is known then when to judge it
//! again.

mod by_identity;
mod due;
mod rights_in_use;

use crate::plane::Plane;
use by_identity::CircuitsByIdentity;
use due::DueRights;
use portcullis_app::rights::{self, Concerned, RightInUse, RightsWatch, Verdict};
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

/// Ends what may not stay, until the controller stops.
pub(crate) async fn run(plane: Arc<Plane>, mut inbox: Inbox) {
    let mut enforcer = Enforcer {
        watch: RightsWatch::new(&plane.app),
        circuits: CircuitsByIdentity::default(),
        due: DueRights::default(),
        plane: Arc::clone(&plane),
    };
    let mut sweeps = interval_at(Instant::now() + SWEEP_INTERVAL, SWEEP_INTERVAL);
    sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let mut pending = Pending::default();
        tokio::select! {
            news = inbox.recv() => {
                let Some(news) = news else {
                    return;
                };
                enforcer.take(news, &mut pending);
                // Those that have come meanwhile are looked at together.
                while let Ok(news) = inbox.try_recv() {
                    enforcer.take(news, &mut pending);
                }
            },
            () = rights::posture_changed(&plane.app) => enforcer.watch.note_posture(&plane.app),
            () = sleep(enforcer.wait()) => {
                pending.circuits = enforcer.due.take(plane.app.env().now());
            },
            _ = sweeps.tick() => report(hosting::sweep(&plane.app).await),
        }
        enforcer.judge_circuits(&pending.circuits);
        if !enforcer.watch.is_quiet() {
            enforcer.judge_noted();
        }
        if !pending.changes.is_empty() {
            report(hosting::end_without_right(&plane.app, &pending.changes).await);
        }
    }
}

/// What has come and was not looked at.
#[derive(Default)]
struct Pending {
    changes: Vec<Change>,
    /// Circuits that are to be judged, whatever was noted.
    circuits: Vec<CircuitId>,
}

/// A right that a circuit depends on.
type InUse = (CircuitId, RightInUse);

/// Judges circuits.
struct Enforcer {
    plane: Arc<Plane>,
    watch: RightsWatch,
    /// Those that are established.
    circuits: CircuitsByIdentity,
    due: DueRights,
}

impl Enforcer {
    fn take(&mut self, news: News, pending: &mut Pending) {
        match news {
            News::Committed(committed) => {
                self.watch.note(&committed);
                pending.changes.extend(committed);
            },
            News::Everything => self.watch.note_everything(),
            News::Established(circuit) => pending.circuits.push(circuit),
            News::Ended(circuit) => {
                self.due.remove(&circuit);
                self.circuits.remove(&circuit);
            },
        }
    }

    /// How long to wait if there is no news; what was noted and could not be judged is judged again soon.
    fn wait(&self) -> Duration {
        let wait = self.due.wait(self.plane.app.env().now());
        if self.watch.is_quiet() {
            wait
        } else {
            wait.min(RETRY.unsigned_abs())
        }
    }

    /// Judges the circuits that may be concerned by what was noted.
    fn judge_noted(&mut self) {
        let network = &self.plane.network;
        let in_use = match self.watch.concerned(&self.plane.app) {
            Concerned::Anybody => network.read(rights_in_use::of_all),
            Concerned::Only(identities) => {
                let circuits = self.circuits.of(&identities);
                network.read(|fabric| rights_in_use::of_some(fabric, circuits))
            },
        };
        let rights: Vec<RightInUse> = in_use.iter().map(|(_, right)| right.clone()).collect();
        match self.watch.judge(&self.plane.app, &rights) {
            Ok(verdicts) => {
                for (place, verdict) in verdicts {
                    if let Some((circuit, _)) = in_use.get(place) {
                        self.follow(circuit, verdict);
                    }
                }
            },
            // What was noted stays noted.
            Err(error) => tracing::error!(%error, "rights in use cannot be judged"),
        }
    }

    /// Judges these circuits, which are known by their identities from then on.
    fn judge_circuits(&mut self, circuits: &[CircuitId]) {
        if circuits.is_empty() {
            return;
        }
        let network = &self.plane.network;
        let in_use: Vec<InUse> = network.read(|fabric| rights_in_use::of_some(fabric, circuits));
        for (circuit, right) in &in_use {
            self.circuits.add(circuit, &right.identity);
        }
        let rights: Vec<RightInUse> = in_use.iter().map(|(_, right)| right.clone()).collect();
        match rights::judge_again(&self.plane.app, &rights) {
            Ok(verdicts) => {
                for ((circuit, _), verdict) in in_use.iter().zip(verdicts) {
                    self.follow(circuit, verdict);
                }
            },
            Err(error) => {
                tracing::error!(%error, "the rights of circuits cannot be judged");
                let soon = self.plane.app.env().now() + RETRY;
                for circuit in circuits {
                    self.due.add(circuit.clone(), soon);
                }
            },
        }
    }

    fn follow(&mut self, circuit: &CircuitId, verdict: Verdict) {
        match verdict {
            Verdict::Ended => {
                let revoke = |fabric: &mut Fabric, _| fabric.revoke_circuit(circuit);
                if self.plane.network.change(revoke) {
                    tracing::info!(
                        circuit = circuit.as_str(),
                        "a circuit was ended with its right"
                    );
                }
            },
            Verdict::Stays { judge_again_at } => {
                if let Some(at) = judge_again_at {
                    self.due.add(circuit.clone(), at);
                }
            },
        }
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
