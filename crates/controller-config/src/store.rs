//! Location of the data.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use portcullis_yaml::{Diagnostics, Section};

use crate::codes;
use crate::keys::{Key, KeyGroup, StringFormat, ValueType};
use crate::relative_paths::BaseFolders;

pub(crate) const NO_CLUSTER: &str = "Portcullis does not support clusters";

/// Location of OpenZiti's data, next to which Portcullis stores its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreLocation {
    /// `db`: path of a database file.
    Database(PathBuf),
    /// `cluster.dataDir`: directory of a member of a cluster.
    Cluster(PathBuf),
}

/// Name of the store inside the directory of a cluster member.
const CLUSTER_STORE: &str = "portcullis.redb";

impl StoreLocation {
    /// Returns the path of the store.
    ///
    /// The file named by `db` may be a live OpenZiti database and is never opened: `X` becomes
    /// `X.portcullis`.
    pub fn store_path(&self) -> PathBuf {
        match self {
            Self::Database(file) => with_suffix(file, ".portcullis"),
            Self::Cluster(directory) => directory.join(CLUSTER_STORE),
        }
    }

    /// Returns the path of the key that seals secrets in the store.
    pub fn sealing_key_path(&self) -> PathBuf {
        with_suffix(&self.store_path(), ".key")
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

pub(crate) const CLUSTER_KEYS: KeyGroup = &[
    Key::new(
        "dataDir",
        ValueType::String(StringFormat::Path),
        "Directory of the data; the store is the file `portcullis.redb` in it.",
    )
    .required()
    .example("/var/lib/ziti/raft"),
    Key::dead("advertiseAddress", NO_CLUSTER),
    Key::dead("applyTimeout", NO_CLUSTER),
    Key::dead("bindAddress", NO_CLUSTER),
    Key::dead("commandHandler", NO_CLUSTER),
    Key::dead("commitTimeout", NO_CLUSTER),
    Key::dead("cycleSeconds", NO_CLUSTER),
    Key::dead("dialer", NO_CLUSTER),
    Key::dead("electionTimeout", NO_CLUSTER),
    Key::dead("heartbeatTimeout", NO_CLUSTER),
    Key::dead("leaderLeaseTimeout", NO_CLUSTER),
    Key::dead("logFile", NO_CLUSTER),
    Key::dead("logLevel", NO_CLUSTER),
    Key::dead("maxAppendEntries", NO_CLUSTER),
    Key::dead("minClusterSize", NO_CLUSTER),
    Key::dead("minRouterCost", NO_CLUSTER),
    Key::dead("nonMemberGrace", NO_CLUSTER),
    Key::dead("preferredLeader", NO_CLUSTER),
    Key::dead("rateLimiter", NO_CLUSTER),
    Key::dead("restartSelfOnSnapshot", NO_CLUSTER),
    Key::dead("routerConnectChurnLimit", NO_CLUSTER),
    Key::dead("snapshotInterval", NO_CLUSTER),
    Key::dead("snapshotThreshold", NO_CLUSTER),
    Key::dead("trailingLogs", NO_CLUSTER),
    Key::dead("warnWhenLeaderlessFor", NO_CLUSTER),
];

pub(crate) fn read(
    root: &Section<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<StoreLocation> {
    let (cluster, db) = (root.get_non_null("cluster"), root.get_non_null("db"));
    if let Some(cluster) = cluster {
        if let Some(db) = db {
            db.warning(
                codes::UNUSED,
                "`db` is not used, because `cluster` is given too",
                diagnostics,
            );
        }
        let cluster = cluster.section(diagnostics)?;
        cluster.check_keys(CLUSTER_KEYS, diagnostics);
        let directory = cluster.require("dataDir", "/var/lib/ziti/raft", diagnostics)?;
        return directory
            .non_empty(diagnostics)
            .map(|path| StoreLocation::Cluster(folders.resolve(&directory, path)));
    }
    if let Some(db) = db {
        return db
            .non_empty(diagnostics)
            .map(|path| StoreLocation::Database(folders.resolve(&db, path)));
    }
    root.report_missing("db", "/var/lib/ziti/ctrl.db", diagnostics);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_files_stand_beside_those_of_openziti() {
        let cases = [
            (
                StoreLocation::Database("db/ctrl.db".into()),
                "db/ctrl.db.portcullis",
            ),
            (StoreLocation::Database("ctrl".into()), "ctrl.portcullis"),
            (
                StoreLocation::Cluster("/data".into()),
                "/data/portcullis.redb",
            ),
            (
                StoreLocation::Cluster("data/".into()),
                "data/portcullis.redb",
            ),
        ];
        for (location, store) in cases {
            assert_eq!(location.store_path(), Path::new(store));
            assert_eq!(
                location.sealing_key_path(),
                PathBuf::from(format!("{store}.key"))
            );
        }
    }
}
