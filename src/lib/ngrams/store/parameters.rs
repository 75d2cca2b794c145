//! The parameters of an index.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ngrams::rules::{NgramConfig, NgramPreset};

/// What all documents of an index share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexParameters {
    /// The rules of words and paragraphs.
    pub config: NgramConfig,
    /// The window of winnowing; 1 stores every n-gram.
    pub winnow: usize,
    /// Whether n-grams of stems are stored, too.
    #[serde(default)]
    pub stems: bool,
}

impl IndexParameters {
    /// Returns the parameters of a new index with the rules of a preset.
    pub fn of(preset: NgramPreset) -> Self {
        IndexParameters { config: preset.config(), winnow: 1, stems: preset.has_stems() }
    }

    /// Returns the first parameter that differs, with its two values as JSON.
    pub fn difference(&self, new: &IndexParameters) -> (String, String, String) {
        let value = |parameters: &IndexParameters| {
            serde_json::to_value(parameters).expect("strings and numbers are JSON")
        };
        let (old, new) = (value(self), value(new));
        let mut paths: Vec<PathBuf> = Vec::new();
        collect_paths(&old, PathBuf::new(), &mut paths);
        collect_paths(&new, PathBuf::new(), &mut paths);
        let at = |value: &serde_json::Value, path: &Path| {
            let pointer = format!("/{}", path.display());
            value.pointer(&pointer).map_or_else(|| "nothing".into(), ToString::to_string)
        };
        let differs = |path: &&PathBuf| at(&old, path) != at(&new, path);
        let path = paths.iter().find(differs).cloned().unwrap_or_default();
        let name = path.display().to_string().replace('/', ".");
        let name = name.trim_start_matches("config.").trim_start_matches("rules.").to_string();
        (name, at(&old, &path), at(&new, &path))
    }
}

/// Collects the paths of all values that are no objects.
fn collect_paths(value: &serde_json::Value, path: PathBuf, paths: &mut Vec<PathBuf>) {
    match value.as_object() {
        Some(fields) => {
            fields.iter().for_each(|(name, field)| collect_paths(field, path.join(name), paths))
        }
        None => paths.push(path),
    }
}
