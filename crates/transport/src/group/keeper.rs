//! Dialing the connections of a group, one at a time.

use super::{Connector, Group, GroupSettings};
use crate::channel_handle::ChannelHandle;
use crate::dial::{DialError, Dialed, dial};
use crate::transport::Transport;
use portcullis_channel::group::{ChannelGrant, Dial, GroupDialer};
use portcullis_channel::hello::{AnswerError, Grouping, Hello};
use portcullis_channel::{Moment, Role};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

pub(super) struct Keeper<C> {
    transport: Transport,
    settings: GroupSettings,
    connector: C,
    dialer: GroupDialer,
    /// Tasks that end with connections, and return their role and how long they lived.
    connections: JoinSet<(Role, Duration)>,
}

impl<C: Connector> Keeper<C> {
    pub(super) fn new(transport: Transport, settings: GroupSettings, connector: C) -> Self {
        let now = transport.clock().now();
        Self {
            dialer: GroupDialer::new(settings.dialing, settings.connections, now.mono),
            transport,
            settings,
            connector,
            connections: JoinSet::new(),
        }
    }

    /// Dials the first connection, when it is time for it.
    pub(super) async fn open(&mut self) -> Result<Group, DialError> {
        let dial = self.next_dial().await;
        let (dialed, grant) = self.dial(&dial).await?;
        let (handle, inbox, ended) =
            self.transport
                .open_observed(grant, self.settings.channel, dialed.connected);
        self.watch(dial.role(), ended);
        Ok(Group {
            handle,
            inbox,
            answer: dialed.answer,
        })
    }

    /// Dials further connections, and those that replace lost ones, until the channel is closed.
    pub(super) fn spawn(self, group: &Group) {
        let tasks = self.transport.tasks().clone();
        tasks.spawn(self.keep(group.handle.clone()));
    }

    async fn keep(mut self, handle: ChannelHandle) {
        let closed = handle.clone();
        tokio::select! {
            _reason = closed.closed() => {},
            () = self.dial_all(&handle) => {},
        }
    }

    async fn dial_all(&mut self, handle: &ChannelHandle) {
        loop {
            let dial = tokio::select! {
                Some(lost) = self.connections.join_next() => {
                    if let Ok((role, lived)) = lost {
                        let random = self.connector.random();
                        self.dialer.handle_lost(role, lived, random, self.now());
                    }
                    continue;
                },
                dial = next_dial(&self.transport, &mut self.dialer) => dial,
            };
            match self.dial(&dial).await {
                // Only a channel that is being closed refuses: the grant is of its group.
                Ok((dialed, grant)) => match handle.attach(&grant, dialed.connected) {
                    Ok(attached) => self.watch(dial.role(), attached.into_token()),
                    Err(_closed) => return,
                },
                Err(error) => tracing::debug!(%error, "connection of a group not dialed"),
            }
        }
    }

    async fn next_dial(&mut self) -> Dial {
        next_dial(&self.transport, &mut self.dialer).await
    }

    /// Dials a connection, and tells the dialer what has become of it.
    async fn dial(&mut self, dial: &Dial) -> Result<(Dialed<C::Stream>, ChannelGrant), DialError> {
        let result = self.connect(dial).await;
        let (random, now) = (self.connector.random(), self.now());
        let result = match result {
            Ok(dialed) => {
                let accepted = self
                    .dialer
                    .handle_accepted(dial, &dialed.answer, random, now);
                accepted
                    .map(|grant| (dialed, grant))
                    .map_err(DialError::from)
            },
            Err(error) => {
                self.dialer
                    .handle_failed(dial, error.failure(), random, now);
                Err(error)
            },
        };
        result.inspect_err(|error| self.connector.failed(error))
    }

    async fn connect(&mut self, planned: &Dial) -> Result<Dialed<C::Stream>, DialError> {
        let settings = &self.settings;
        let underlay_type = settings.dialing.kind.underlay_type(planned.role());
        let hello = Hello::new(
            settings.id.clone(),
            underlay_type.map(str::to_owned),
            Grouping::Grouped(planned.hello().clone()),
            settings.headers.clone(),
        );
        let deadline = Instant::now() + settings.timeout;
        let connecting = self.connector.connect(planned.role());
        let stream = timeout_at(deadline, connecting)
            .await
            .map_err(|_elapsed| AnswerError::TimedOut)??;
        let dialed = dial(stream, &hello, deadline).await?;
        let checked = self.connector.check(&dialed.answer);
        checked.map_err(DialError::Unacceptable)?;
        Ok(dialed)
    }

    fn watch(&mut self, role: Role, ended: CancellationToken) {
        let since = Instant::now();
        self.connections.spawn(async move {
            ended.cancelled().await;
            (role, since.elapsed())
        });
    }

    fn now(&self) -> Moment {
        self.transport.clock().now().mono
    }
}

/// Waits until it is time for a connection.
async fn next_dial(transport: &Transport, dialer: &mut GroupDialer) -> Dial {
    let clock = transport.clock();
    loop {
        if let Some(dial) = dialer.poll_dial(clock.now().mono) {
            return dial;
        }
        match dialer.poll_timeout() {
            Some(at) => sleep_until(clock.instant(at)).await,
            None => std::future::pending().await,
        }
    }
}
