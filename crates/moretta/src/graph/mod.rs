//! Social graphs: edges between the rows of a node table.
//!
//! The node table is a table as any other and goes through a session. What is new are the edges:
//! a compact list of pairs of nodes ([`EdgeList`]), neighbours found at once ([`Neighbours`]),
//! what a release loses of the meaning of nodes and who is found again by it ([`semantic`]),
//! degrees that are made alike ([`degree_anonymity`]), what a graph looks like before and
//! after ([`statistics`]), and nodes made of what persons write ([`extract`]).
//!
//! Nodes are numbers from 0. Edges are a set: a pair counts once, and nobody is linked to
//! themselves. Memory is 8 bytes an edge for the list and 8 more for the neighbours.

pub mod degree_anonymity;
mod degree_attack;
mod edges;
pub mod extract;
pub mod microdata;
mod neighbours;
pub mod semantic;
pub mod statistics;
mod structure_attack;

pub use degree_attack::{DegreeAttack, degree_attack};
pub use edges::{EdgeList, LeftOut};
pub use neighbours::Neighbours;
pub use structure_attack::{Hidden, Structure, hidden};
