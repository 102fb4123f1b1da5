//! Learning action models. So far: the vocabulary an action's model is written in.

mod vocabulary;

pub use vocabulary::Vocabulary;
