//! Creating identities, several at a time.

use super::checkpoint::{Checkpoint, DoneRow, Record};
use super::plan::{Step, Task};
use super::report::{CreatedEntry, FailedEntry, Report};
use super::row::Row;
use super::tokens::{NewToken, TokenSink};
use crate::commands::identity::state;
use crate::error::CliError;
use crate::progress::Progress;
use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Api, Client, ClientError, Endpoint};
use portcullis_domain::ids::IdentityId;
use secrecy::{ExposeSecret as _, SecretString};
use std::mem;
use std::pin::pin;
use std::time::{Duration, Instant};
use std::vec;
use tokio::{select, signal};

/// How often progress is recorded: a disk takes some milliseconds for it, during which nothing else goes
/// on.
const RECORD_INTERVAL: Duration = Duration::from_millis(200);

/// An import at work.
pub(super) struct Import {
    pub(super) client: Client,
    pub(super) tokens: TokenSink,
    pub(super) checkpoint: Option<Checkpoint>,
    /// Requests at a time.
    pub(super) parallel: usize,
    pub(super) report: Report,
    /// What the checkpoint does not have yet.
    pub(super) pending: Record,
    /// Why no further identity is begun.
    pub(super) halt: Option<CliError>,
}

/// What became of an identity.
struct Outcome<'r> {
    task: Task<'r>,
    result: Result<Created, Failure>,
}

struct Created {
    id: String,
    jwt: Option<SecretString>,
}

/// Why an identity is not complete.
enum Failure {
    /// The controller refused it; others may be accepted.
    Refused(String),
    /// Nothing further can be done. It may have been created.
    Halt(CliError),
}

impl Import {
    /// Works until all is done, or until something stops it. Ctrl-C waits for what was begun; a second
    /// one does not.
    pub(super) async fn run(&mut self, tasks: Vec<Task<'_>>) -> Result<(), CliError> {
        // What existed before must not be taken for something that an interrupted run created.
        self.record()?;
        let progress = Progress::new(Some(tasks.len()), "identities");
        let mut tasks = tasks.into_iter();
        let mut recorded = Instant::now();
        let mut running = FuturesUnordered::new();
        let mut interrupt = pin!(signal::ctrl_c().fuse());
        loop {
            while running.len() < self.parallel
                && let Some(task) = self.next_task(&mut tasks)
            {
                running.push(complete(self.client.clone(), self.tokens.is_wanted(), task));
            }
            let first = select! {
                biased;
                Ok(()) = &mut interrupt => {
                    if self.halt.is_some() {
                        return Err(CliError::cancelled());
                    }
                    self.halt = Some(CliError::cancelled());
                    interrupt.set(signal::ctrl_c().fuse());
                    continue;
                },
                first = running.next() => first,
            };
            let Some(first) = first else { break };
            let mut outcomes = vec![first];
            while let Some(Some(outcome)) = running.next().now_or_never() {
                outcomes.push(outcome);
            }
            progress.advance(outcomes.len());
            let mut settled = self.settle(outcomes);
            if recorded.elapsed() >= RECORD_INTERVAL {
                settled = settled.and(self.record());
                recorded = Instant::now();
            }
            if let Err(error) = settled {
                self.halt.get_or_insert(error);
            }
        }
        if let Err(error) = self.record() {
            self.halt.get_or_insert(error);
        }
        self.report.remaining = tasks.len();
        Ok(())
    }

    /// The next identity, once the checkpoint says that it is begun.
    fn next_task<'r>(&mut self, tasks: &mut vec::IntoIter<Task<'r>>) -> Option<Task<'r>> {
        if self.halt.is_some() {
            return None;
        }
        let index = tasks.as_slice().first()?.index;
        let announced = self
            .checkpoint
            .as_mut()
            .map_or(Ok(()), |checkpoint| checkpoint.announce(index));
        if let Err(error) = announced {
            self.halt = Some(error);
            return None;
        }
        tasks.next()
    }

    /// Writes the tokens of what was created.
    fn settle(&mut self, outcomes: Vec<Outcome<'_>>) -> Result<(), CliError> {
        let mut result = Ok(());
        for Outcome {
            task,
            result: outcome,
        } in outcomes
        {
            match outcome {
                Ok(created) => match self.deliver(&task, &created) {
                    Ok(done) => self.pending.done.push(done),
                    Err(error) => {
                        self.report.unfinished.push(task.row.into());
                        result = result.and(Err(error));
                    },
                },
                Err(Failure::Refused(error)) => {
                    self.pending.failed.push(task.row.line);
                    let entry = task.row.into();
                    self.report.failed.push(FailedEntry { entry, error });
                },
                Err(Failure::Halt(error)) => {
                    self.report.unfinished.push(task.row.into());
                    result = result.and(Err(error));
                },
            }
        }
        result
    }

    /// Records what was done. Whatever a run ends before that is begun and not done for the next one,
    /// which finds it.
    fn record(&mut self) -> Result<(), CliError> {
        let token_bytes = self.tokens.sync()?;
        let record = Record {
            token_bytes,
            ..mem::take(&mut self.pending)
        };
        match &mut self.checkpoint {
            Some(checkpoint) => checkpoint.append(&record),
            None => Ok(()),
        }
    }

    /// Writes the token of an identity.
    fn deliver(&mut self, task: &Task<'_>, created: &Created) -> Result<DoneRow, CliError> {
        let Created { id, jwt } = created;
        let jwt_file = match jwt {
            Some(jwt) => self.tokens.write(&NewToken {
                line: task.row.line,
                name: task.row.name(),
                id,
                jwt,
                is_again: !matches!(task.step, Step::Create),
            })?,
            None => None,
        };
        if !matches!(task.step, Step::FetchToken(_)) {
            self.report.created.push(CreatedEntry {
                entry: task.row.into(),
                id: id.clone(),
                jwt_file,
            });
        }
        let length = jwt.as_ref().map(|jwt| jwt.expose_secret().len());
        Ok(DoneRow {
            line: task.row.line,
            id: id.clone(),
            token: length.and_then(|length| u64::try_from(length).ok()),
        })
    }
}

/// Creates an identity, if it is not there yet, and fetches its token, if that is wanted.
async fn complete(client: Client, wants_token: bool, task: Task<'_>) -> Outcome<'_> {
    let result = match &task.step {
        Step::Create => match create(&client, task.row).await {
            Ok(id) if wants_token && task.row.has_token() => fetch_token(&client, id).await,
            Ok(id) => Ok(Created { id, jwt: None }),
            Err(error) => Err(error),
        },
        Step::Adopt(identity) => Ok(created(identity, wants_token)),
        Step::FetchToken(id) => fetch_token(&client, id.clone()).await,
    };
    Outcome {
        task,
        result: result.map_err(Failure::from),
    }
}

async fn create(client: &Client, row: &Row) -> Result<String, ClientError> {
    let identities = Endpoint::new(Api::Management, "identities");
    Ok(client.create(&identities, &row.body).await?.id)
}

async fn fetch_token(client: &Client, id: String) -> Result<Created, ClientError> {
    let id = IdentityId::from_wire(id);
    let identity: IdentityDetail = client.entity(&id).await?;
    Ok(created(&identity, true))
}

/// The identity with its token; one that was enrolled meanwhile has none.
fn created(identity: &IdentityDetail, wants_token: bool) -> Created {
    let enrollment = state::pending_enrollments(identity).next();
    let jwt = enrollment.and_then(|(_, enrollment)| enrollment.jwt.clone());
    Created {
        id: identity.base.id.to_string(),
        jwt: jwt.filter(|_| wants_token),
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error.refusal().map(|refusal| refusal.status) {
            // Neither a session that is over nor a busy controller has to do with this identity.
            Some(400..=499) if !is_about_caller(&error) => {
                Self::Refused(CliError::from(error).message())
            },
            _ => Self::Halt(error.into()),
        }
    }
}

fn is_about_caller(error: &ClientError) -> bool {
    let status = error.refusal().map(|refusal| refusal.status);
    matches!(status, Some(401 | 403 | 429))
}
