//! How a stage's files were made: its parameters and, recursively, those of its inputs.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use twox_hash::XxHash3_64;

use super::FileEntry;
use super::digest::Checksum;
use crate::error::{Error, Result};

/// Parameters by the names of their flags.
pub type Parameters = Map<String, Value>;

/// What a stage's data files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StageKind {
    /// Bags of words.
    Bow,
    /// A vocabulary.
    Voc,
    /// Sparse vectors.
    Vec,
    /// Signatures.
    Sig,
    /// Prints of a fingerprint method.
    Print,
    /// Numbers of documents, and their names; parts of one only.
    Ids,
    /// Pairs of documents; parts of them only.
    Pairs,
}

impl StageKind {
    /// Returns the extension of the data files.
    pub fn extension(self) -> &'static str {
        match self {
            StageKind::Bow => "bow",
            StageKind::Voc => "voc",
            StageKind::Vec => "vec",
            StageKind::Sig => "sig",
            StageKind::Print => "print",
            StageKind::Ids => "ids",
            StageKind::Pairs => "pairs",
        }
    }
}

impl fmt::Display for StageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.extension().to_uppercase())
    }
}

/// Kind, program, parameters, counts and inputs of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// What the data files hold.
    pub kind: StageKind,
    /// The executable that wrote them.
    program: String,
    /// Its version.
    version: String,
    /// The parameters that shape the bytes.
    parameters: Parameters,
    /// The numbers of files, documents, terms and so on.
    counts: BTreeMap<String, u64>,
    /// The checksum of all data files' checksums, in their order.
    content: Checksum,
    /// The stages that were read, as far as they have manifests.
    inputs: Vec<Provenance>,
}

impl Provenance {
    /// Describes the output of an executable.
    pub fn new(kind: StageKind, program: &str, parameters: Parameters) -> Self {
        Provenance {
            kind,
            program: program.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            parameters,
            counts: BTreeMap::new(),
            content: Checksum::default(),
            inputs: Vec::new(),
        }
    }

    /// Adds parameters, such as checksums of files that shape the bytes.
    pub fn with_parameters(mut self, parameters: Parameters) -> Self {
        self.parameters.extend(parameters);
        self
    }

    /// Adds a count.
    pub fn count(mut self, what: &str, count: u64) -> Self {
        self.counts.insert(what.into(), count);
        self
    }

    /// Adds a stage that was read, if it has a manifest.
    pub fn input(mut self, input: Option<&Provenance>) -> Self {
        self.inputs.extend(input.cloned());
        self
    }

    /// Returns a count, if it was made.
    pub fn counted(&self, what: &str) -> Option<u64> {
        self.counts.get(what).copied()
    }

    /// Returns whether a flag was given.
    pub fn has_flag(&self, name: &str) -> bool {
        self.parameters.get(name) == Some(&Value::Bool(true))
    }

    /// Returns program, parameters and inputs alone.
    pub fn without_counts(&self) -> Self {
        Provenance { counts: BTreeMap::new(), content: Checksum::default(), ..self.clone() }
    }

    /// Replaces the inputs, which are those of a part, by all inputs of these parts: their counts added up, without a checksum.
    pub fn with_merged_inputs(mut self, parts: &[&Provenance]) -> Self {
        for (at, input) in self.inputs.iter_mut().enumerate() {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for (name, count) in
                parts.iter().filter_map(|part| part.inputs.get(at)).flat_map(|part| &part.counts)
            {
                *counts.entry(name.clone()).or_default() += count;
            }
            *input = Provenance { counts, ..input.without_counts() };
        }
        self
    }

    /// Adds what follows from the data files.
    pub(super) fn complete(&mut self, files: &[FileEntry]) {
        self.counts.insert("files".into(), files.len() as u64);
        let checksums = files.iter().flat_map(|file| file.digest.xxh3.0.to_be_bytes());
        self.content = Checksum(XxHash3_64::oneshot(&checksums.collect::<Vec<u8>>()));
    }

    /// Returns the nearest stage of a kind among the inputs and their inputs.
    fn ancestor(&self, kind: StageKind) -> Option<&Provenance> {
        let is_wanted = |input: &&Provenance| input.kind == kind;
        let earlier = || self.inputs.iter().find_map(|input| input.ancestor(kind));
        self.inputs.iter().find(is_wanted).or_else(earlier)
    }

    /// Returns the first parameter in which two stages or their inputs differ: its name and both values.
    pub(super) fn difference(&self, other: &Provenance) -> Option<(String, [String; 2])> {
        let (own, others) = (&self.parameters, &other.parameters);
        let differs = |name: &&String| own.get(*name) != others.get(*name);
        if let Some(name) = own.keys().chain(others.keys()).find(differs) {
            return Some((name.clone(), [own, others].map(|all| spelled(all.get(name)))));
        }
        self.inputs.iter().find_map(|input| {
            let other = other.inputs.iter().find(|other| other.kind == input.kind)?;
            input.difference(other)
        })
    }

    /// Returns the first difference of two parts of one output: kind, executable, version, a parameter, or the content of an input. Parts of a
    /// vocabulary have different inputs: parts of the bags.
    pub fn first_difference(&self, other: &Provenance) -> Option<(String, [String; 2])> {
        let facts = [
            ("kind", [self.kind, other.kind].map(|kind| kind.to_string())),
            ("executable", [&self.program, &other.program].map(String::clone)),
            ("version", [&self.version, &other.version].map(String::clone)),
        ];
        let fact = facts.into_iter().find(|(_, [own, others])| own != others);
        let fact = fact.map(|(what, values)| (what.to_string(), values));
        let input = || match self.kind {
            StageKind::Voc => None,
            _ => self.input_difference(other),
        };
        fact.or_else(|| self.difference(other)).or_else(input)
    }

    /// Returns the first difference of executable, version or parameters from those of `wanted`: its name, the wanted value and this one.
    pub(super) fn flag_difference(&self, wanted: &Provenance) -> Option<(String, [String; 2])> {
        let own = |from: &Provenance| Provenance { inputs: Vec::new(), ..from.clone() };
        own(wanted).first_difference(&own(self))
    }

    /// Returns the kind of an input that is not one of those recorded, or of a recorded one that is missing.
    pub(super) fn unread(&self, inputs: &[Provenance]) -> Option<StageKind> {
        let key = |one: &Provenance| (one.kind.extension(), one.content.0);
        let keys = |all: &[Provenance]| {
            let mut keys: Vec<_> = all.iter().map(key).collect();
            keys.sort_unstable();
            keys
        };
        if keys(&self.inputs) == keys(inputs) {
            return None;
        }
        let is_recorded = |one: &&Provenance| self.inputs.iter().any(|own| key(own) == key(one));
        let other = inputs.iter().find(|one| !is_recorded(one)).or(self.inputs.first());
        other.map(|one| one.kind)
    }

    /// Returns the first input whose content differs.
    fn input_difference(&self, other: &Provenance) -> Option<(String, [String; 2])> {
        let spelled = |input: Option<&Provenance>| match input {
            Some(input) => format!("{} {}", input.kind, input.content),
            None => "none".into(),
        };
        let inputs = |at: usize| [self.inputs.get(at), other.inputs.get(at)].map(spelled);
        let count = self.inputs.len().max(other.inputs.len());
        let pairs = (0..count).map(inputs).find(|[own, others]| own != others);
        pairs.map(|values| ("input".to_string(), values))
    }

    /// Checks that `other`, at `path`, was made from a stage with the parameters of this one, whose manifest is `manifest`. Other
    /// content is no error: vocabularies depend on terms and counts only, which callers compare.
    ///
    /// # Errors
    /// The first parameter that differs.
    pub fn check_made_from(&self, other: &Provenance, path: &Path, manifest: &Path) -> Result<()> {
        let difference = other.ancestor(self.kind).and_then(|source| self.difference(source));
        let Some((what, [expected, found])) = difference else { return Ok(()) };
        Err(Error::mismatch(path, &what, expected, manifest, found))
    }
}

/// Checks parameters read from the file at `path` against those asked for.
///
/// # Errors
/// The first asked for that has another value in the file, or none.
pub fn check_parameters(path: &Path, asked: &Parameters, found: &Parameters) -> Result<()> {
    let Some((name, value)) = asked.iter().find(|(name, value)| found.get(*name) != Some(*value))
    else {
        return Ok(());
    };
    let (value, found) = (spelled(Some(value)), spelled(found.get(name)));
    Err(Error::in_file(path, format!("expected {name} {value}, found {found}")))
}

fn spelled(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "none".into(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
