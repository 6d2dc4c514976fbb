//! Table of revocations. Their targets need not exist, so they have no references.

use super::managed::StoredSpec;
use portcullis_domain::revocation::RevocationSpec;

impl StoredSpec for RevocationSpec {}
