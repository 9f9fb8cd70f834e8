package dev.varve.engine.backup;

import dev.varve.engine.Snapshots;
import java.nio.file.Path;

/** Makes and deletes the snapshots that backups copy, in this process or in a server. */
public interface SnapshotSource {
  /** A snapshot and the directory that holds it. */
  record Taken(String name, Path directory) {}

  Taken create();

  /** Deletes a snapshot, if there is one of that name. */
  void delete(String name);

  /** Returns a source of snapshots of an engine in this process. */
  static SnapshotSource of(Snapshots snapshots) {
    return new SnapshotSource() {
      @Override
      public Taken create() {
        var made = snapshots.create();
        return new Taken(made.name(), made.directory());
      }

      @Override
      public void delete(String name) {
        snapshots.delete(name);
      }
    };
  }
}
