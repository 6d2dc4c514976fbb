//! Locks whose poison is passed over: a panic while a projection changes ends the process that
//! commits, so a poisoned lock is only met while it ends.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Exchanges a projection with another one, which is the old one then: whoever drops it does so
/// after the lock was given back.
pub(super) fn exchange<T>(place: &RwLock<T>, new: &mut T) {
    std::mem::swap(&mut *write(place), new);
}
