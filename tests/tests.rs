//! All integration tests, in one program so that they are linked once.

mod agreement;
mod architecture;
mod cli;
mod collections;
mod common;
mod corpus_replay;
mod determinism;
mod faults;
mod golden;
mod levels;
mod library;
mod oracle;
mod scripts;
mod shards;
mod shell;
mod statistics;
