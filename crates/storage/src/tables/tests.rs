mod damage;
mod removal;
mod support;
mod uniqueness;
