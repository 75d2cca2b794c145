//! A model of a disk that loses power.
//!
//! The calls of a run ([`Point`]s) are replayed on the files before it. The model knows what was synced: the bytes of a file since its last
//! sync may be lost, and so may changes of a folder since its last sync. Syncing a file does not sync its name, as POSIX allows.

use std::collections::BTreeMap;

use super::Files;
use super::shim::Point;

/// What a power loss takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Nothing: the process was killed, the machine goes on.
    Nothing,
    /// Bytes that were not synced; names stay.
    Data,
    /// All but the first `kept` of the changes of folders that were not synced; bytes stay.
    Names {
        /// The number of changes that are kept.
        kept: usize,
    },
    /// Everything that was not synced.
    Everything,
}

/// A file or folder, by its number in the order of creation.
type Node = usize;

/// Folder entries by path; folders end in `/`.
type Names = BTreeMap<String, Node>;

/// A change of one or two folders.
#[derive(Debug, Clone)]
enum Change {
    Add(String, Node),
    Remove(String),
    Rename(String, String),
    Exchange(String, String),
}

/// The disk after some calls of a run.
pub struct Disk {
    /// The names before the run, all synced.
    base: Names,
    /// Changes in order, and whether they are synced.
    changes: Vec<(Change, bool)>,
    /// The names now.
    names: Names,
    /// Bytes and synced bytes of every file.
    contents: Vec<(Vec<u8>, Vec<u8>)>,
    /// Open files and files that were opened.
    inodes: BTreeMap<u64, Node>,
}

impl Disk {
    /// Returns a disk with synced files.
    pub fn new(files: &Files) -> Self {
        let base: Names = files.keys().cloned().zip(0..).collect();
        let contents = files.values().map(|bytes| (bytes.clone(), bytes.clone())).collect();
        let names = base.clone();
        Disk { base, changes: Vec::new(), names, contents, inodes: BTreeMap::new() }
    }

    /// Applies a call.
    pub fn apply(&mut self, point: &Point) {
        if !point.succeeded {
            return;
        }
        let Point { path, second, .. } = point;
        match &*point.operation {
            "open_create" | "open_truncate" | "open_write" | "open_unnamed" => self.open(point),
            "write" | "copy" => self.write(point),
            "truncate" => {
                let node = self.inodes[&point.inode];
                self.contents[node].0.resize(point.offset, 0);
            }
            "sync" => self.sync(point),
            "sync_all" => self.sync_all(),
            "rename" => self.change(Change::Rename(self.key(path), self.key_like(path, second))),
            "exchange" => self.change(Change::Exchange(self.key(path), self.key(second))),
            "link" => {
                let node = self.names[path];
                self.change(Change::Add(second.clone(), node));
            }
            "unlink" => self.change(Change::Remove(path.clone())),
            "rmdir" => self.change(Change::Remove(format!("{path}/"))),
            "mkdir" => {
                let node = self.create();
                self.inodes.insert(point.inode, node);
                self.change(Change::Add(format!("{path}/"), node));
            }
            "open_read" => {
                let node = self.names.get(path);
                self.inodes.extend(node.map(|node| (point.inode, *node)));
            }
            "open_folder" | "chmod" => {}
            other => panic!("unknown operation {other}"),
        }
    }

    /// Returns the key of a path: that of a folder ends in `/`.
    fn key(&self, path: &str) -> String {
        self.key_like(path, path)
    }

    /// Returns the key of a path that names a folder if another one does.
    fn key_like(&self, other: &str, path: &str) -> String {
        let is_folder = self.names.contains_key(&format!("{other}/"));
        if is_folder { format!("{path}/") } else { path.to_string() }
    }

    fn create(&mut self) -> Node {
        self.contents.push(Default::default());
        self.contents.len() - 1
    }

    fn open(&mut self, point: &Point) {
        let existing = self.names.get(&point.path).copied();
        let is_unnamed = point.operation == "open_unnamed";
        let node = existing.filter(|_| !is_unnamed).unwrap_or_else(|| {
            let node = self.create();
            if !is_unnamed {
                self.change(Change::Add(point.path.clone(), node));
            }
            node
        });
        self.inodes.insert(point.inode, node);
        if point.operation == "open_truncate" {
            self.contents[node].0.clear();
        }
    }

    fn write(&mut self, point: &Point) {
        let bytes = &mut self.contents[self.inodes[&point.inode]].0;
        let end = point.offset + point.data.len();
        bytes.resize(bytes.len().max(end), 0);
        bytes[point.offset..end].copy_from_slice(&point.data);
    }

    /// Syncs a file, or the changes of a folder.
    fn sync(&mut self, point: &Point) {
        let folder = folder_key(&point.path);
        if folder.is_empty() || self.names.contains_key(&folder) {
            for (change, is_synced) in &mut self.changes {
                *is_synced |= change.folders().all(|changed| changed == folder);
            }
        } else {
            let (bytes, synced) = &mut self.contents[self.inodes[&point.inode]];
            synced.clone_from(bytes);
        }
    }

    fn sync_all(&mut self) {
        self.contents.iter_mut().for_each(|(bytes, synced)| synced.clone_from(bytes));
        self.changes.iter_mut().for_each(|(_, is_synced)| *is_synced = true);
    }

    fn change(&mut self, change: Change) {
        change.apply(&mut self.names);
        self.changes.push((change, false));
    }

    /// Returns every loss of a power failure at this moment.
    pub fn losses(&self) -> Vec<Loss> {
        let pending = self.changes.iter().filter(|(_, is_synced)| !is_synced).count();
        let names = (0..pending).map(|kept| Loss::Names { kept });
        [Loss::Data, Loss::Everything].into_iter().chain(names).collect()
    }

    /// Returns the files after a loss.
    pub fn after(&self, loss: Loss) -> Files {
        let kept = match loss {
            Loss::Nothing | Loss::Data => usize::MAX,
            Loss::Names { kept } => kept,
            Loss::Everything => 0,
        };
        let bytes = |node: Node| match loss {
            Loss::Nothing | Loss::Names { .. } => self.contents[node].0.clone(),
            Loss::Data | Loss::Everything => self.contents[node].1.clone(),
        };
        let names = self.names_after(kept);
        let files = names.iter().map(|(name, node)| (name.clone(), bytes(*node)));
        files.collect()
    }

    /// Replays all synced changes and the first `kept` others.
    fn names_after(&self, kept: usize) -> Names {
        let (mut names, mut pending) = (self.base.clone(), 0);
        for (change, is_synced) in &self.changes {
            pending += usize::from(!is_synced);
            if *is_synced || pending <= kept {
                change.apply(&mut names);
            }
        }
        names
    }
}

impl Change {
    /// Applies the change, unless the folder or file it needs was lost.
    fn apply(&self, names: &mut Names) {
        match self {
            Change::Add(path, node) if is_reachable(names, path) => {
                names.insert(path.clone(), *node);
            }
            Change::Add(..) => {}
            Change::Remove(path) => names.retain(|name, _| !is_at_or_below(name, path)),
            Change::Rename(from, to) if names.contains_key(from) && is_reachable(names, to) => {
                names.retain(|name, _| !is_at_or_below(name, to));
                move_names(names, &[(from, to)]);
            }
            Change::Exchange(one, other) if [one, other].iter().all(|n| names.contains_key(*n)) => {
                move_names(names, &[(one, other), (other, one)]);
            }
            Change::Rename(..) | Change::Exchange(..) => {}
        }
    }

    /// Returns the folders that the change is recorded in.
    fn folders(&self) -> impl Iterator<Item = String> {
        let (first, second) = match self {
            Change::Add(path, _) | Change::Remove(path) => (path, None),
            Change::Rename(from, to) | Change::Exchange(from, to) => (from, Some(to)),
        };
        [Some(first), second].into_iter().flatten().map(|path| parent(path).to_string())
    }
}

/// Returns the key of a folder: empty for the root, else its path and `/`.
fn folder_key(path: &str) -> String {
    if path == "." { String::new() } else { format!("{path}/") }
}

/// Returns the key of the folder that has an entry.
fn parent(path: &str) -> &str {
    let end = path.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1);
    &path[..end]
}

/// Renames files and folders at once.
fn move_names(names: &mut Names, moves: &[(&String, &String)]) {
    let moved = |name: String| {
        let source = moves.iter().find(|(from, _)| is_at_or_below(&name, from));
        source.map_or(name.clone(), |(from, to)| format!("{to}{}", &name[from.len()..]))
    };
    *names = std::mem::take(names).into_iter().map(|(name, node)| (moved(name), node)).collect();
}

fn is_at_or_below(name: &str, path: &str) -> bool {
    name == path || path.ends_with('/') && name.starts_with(path)
}

fn is_reachable(names: &Names, path: &str) -> bool {
    parent(path).is_empty() || names.contains_key(parent(path))
}
