package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.varve.engine.progress.Remnant;
import dev.varve.engine.progress.Remnant.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalCopiesTest {
  @TempDir private Path directory;

  @Test
  void listsWhatCannotBeReadAndAllElse() throws IOException {
    Path data = Files.createDirectory(directory.resolve("data"));
    Files.createDirectories(data.resolve("rocksdb/damaged-20261128000000"));
    Files.createSymbolicLink(data.resolve("snapshots"), Path.of("snapshots"));
    Path backups = directory.resolve("backups");
    Files.createSymbolicLink(backups, Path.of("backups"));
    List<Remnant> found = new LocalCopies(data, backups).before(Instant.now());
    assertThat(found)
        .extracting(Remnant::kind, Remnant::name)
        .containsExactly(
            tuple(Kind.SNAPSHOT, "snapshots"),
            tuple(Kind.BACKUP, "."),
            tuple(Kind.SET_ASIDE, "rocksdb/damaged-20261128000000"));
    assertThat(found.subList(0, 2))
        .allMatch(one -> one.advice().startsWith("Varve cannot look into it: "));
    assertThat(new LocalCopies(directory.resolve("missing"), null).before(Instant.now())).isEmpty();
  }
}
