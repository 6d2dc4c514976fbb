//! External JWT signers, their keys, and the tokens that they sign.

mod keys;
mod logins;
mod management;
mod monster_tokens;
mod second_token;
mod token_faults;
