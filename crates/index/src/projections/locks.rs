//! Locks that ignore poisoning: a panic while a projection changes ends the process that commits,
//! so a poisoned lock is only met during shutdown.

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

/// Swaps a projection with a new one. The caller drops the old one after the lock is released.
pub(super) fn swap<T>(place: &RwLock<T>, new: &mut T) {
    std::mem::swap(&mut *write(place), new);
}
