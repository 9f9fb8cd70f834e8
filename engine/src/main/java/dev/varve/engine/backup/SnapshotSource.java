package dev.varve.engine.backup;

import java.nio.file.Path;

/** Makes and deletes the snapshots that backups copy, in this process or in a server. */
public interface SnapshotSource {
  /** A snapshot and the directory that holds it. */
  record Taken(String name, Path directory) {}

  Taken create();

  /** Deletes a snapshot, if there is one of that name. */
  void delete(String name);
}
