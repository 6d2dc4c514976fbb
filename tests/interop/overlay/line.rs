//! A line to a port of this computer, which may break.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::Mutex;
use std::thread;

pub(crate) struct Line {
    port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    is_cut: bool,
    /// Both ends of what passes.
    passing: Vec<TcpStream>,
}

impl Line {
    pub(crate) fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let line = Self {
            port: listener.local_addr().unwrap().port(),
            state: Arc::default(),
        };
        let state = Arc::clone(&line.state);
        thread::spawn(move || {
            for near in listener.incoming() {
                // Whoever comes to a cut line, or finds nobody behind it, is turned away.
                let _is_gone = near.and_then(|near| state.lock().unwrap().pass(near, port));
            }
        });
        line
    }

    /// Where it begins.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Ends what passes, and lets nothing more through.
    pub(crate) fn cut(&self) {
        let mut state = self.state.lock().unwrap();
        state.is_cut = true;
        for end in state.passing.drain(..) {
            let _is_closed = end.shutdown(Shutdown::Both);
        }
    }
}

impl State {
    fn pass(&mut self, near: TcpStream, port: u16) -> io::Result<()> {
        if self.is_cut {
            return Ok(());
        }
        let far = TcpStream::connect(("127.0.0.1", port))?;
        for (from, to) in [(&near, &far), (&far, &near)] {
            let (mut from, mut to) = (from.try_clone()?, to.try_clone()?);
            thread::spawn(move || {
                let _ended = io::copy(&mut from, &mut to);
                let _is_closed = to.shutdown(Shutdown::Write);
            });
        }
        self.passing.extend([near, far]);
        Ok(())
    }
}
