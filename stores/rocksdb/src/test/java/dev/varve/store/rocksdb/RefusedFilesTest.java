package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.DamagedStoreException;
import dev.varve.store.Durability;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreProvider.Salvage;
import dev.varve.store.TableSpec;
import dev.varve.store.contract.CrashImage;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * If a recovery cannot handle the damage, it fails with the name of the file before it changes a
 * log.
 */
class RefusedFilesTest {
  private static final TableSpec SPEC =
      new TableSpec(
          "samples", List.of(FamilySpec.latest("c")), Resolution.MILLISECONDS, Partitioning.NONE);

  @TempDir private Path directory;
  @TempDir private Path crashed;

  /** Creates a table file, and a log whose last record is damaged. */
  @BeforeEach
  void write() throws IOException {
    for (int life = 0; life < 2; life++) {
      try (RocksStore store = open(null)) {
        MutationBatch batch = new MutationBatch();
        batch.put(Bytes.utf8("row" + life), 0, Bytes.utf8("q"), 7, Bytes.utf8("value"));
        assertThat(store.open(SPEC, OpenMode.CREATE_IF_ABSENT).apply(batch, Durability.SYNCED))
            .isEmpty();
      }
    }
    flip(only("*.log"), -1);
  }

  private RocksStore open(@Nullable Salvage salvage) {
    return new RocksStore(directory, RocksOptions.DEFAULTS, salvage);
  }

  private Path only(String pattern) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, pattern)) {
      return files.iterator().next();
    }
  }

  /** Flips a bit; a negative place counts from the end. */
  private static void flip(Path file, int place) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[place < 0 ? bytes.length + place : place] ^= 1;
    Files.write(file, bytes);
  }

  private void assertRefused(Path file, String words) throws IOException {
    byte[] log = Files.readAllBytes(only("*.log"));
    for (Salvage salvage : Salvage.values()) {
      assertThatThrownBy(() -> open(salvage))
          .isInstanceOfSatisfying(
              DamagedStoreException.class,
              refusal -> assertThat(refusal.damage().getFirst().file()).isEqualTo(file.toString()))
          .hasMessageContainingAll(file.toString(), words, "Nothing was changed. ");
    }
    assertThat(only("*.log")).hasBinaryContent(log);
  }

  @Test
  void currentThatNamesNothing() throws IOException {
    Path current = directory.resolve("CURRENT");
    flip(current, 0);
    assertRefused(current, "names no MANIFEST");
  }

  @Test
  void missingManifest() throws IOException {
    Path manifest = only("MANIFEST-*");
    Files.delete(manifest);
    assertRefused(manifest, "is missing");
  }

  @Test
  void flippedByteAtTheEndOfTheManifestAfterACleanStop() throws IOException {
    Path manifest = only("MANIFEST-*");
    flip(manifest, -1);
    assertRefused(manifest, "is damaged at byte");
  }

  @Test
  void flippedByteAmidTheManifestAfterACrash() throws IOException {
    Files.delete(directory.resolve("varve-state"));
    Path manifest = only("MANIFEST-*");
    flip(manifest, 20);
    assertRefused(manifest, "is damaged at byte 0");
  }

  @Test
  void manifestCutShortAfterACrash() throws IOException {
    try (RocksStore store = open(Salvage.ALL_READABLE)) {
      store.tables();
      CrashImage.copy(directory, crashed);
    }
    directory = crashed;
    Path manifest = only("MANIFEST-*");
    byte[] bytes = Files.readAllBytes(manifest);
    Files.write(manifest, Arrays.copyOf(bytes, bytes.length - 30));
    assertRefused(manifest, "when the database was open");
  }

  @Test
  void missingTableFile() throws IOException {
    Path table = only("*.sst");
    Files.delete(table);
    assertRefused(table, "is missing");
  }

  @Test
  void tableFileOfAnotherSize() throws IOException {
    Path table = only("*.sst");
    byte[] bytes = Files.readAllBytes(table);
    Files.write(table, Arrays.copyOf(bytes, bytes.length - 1));
    assertRefused(table, "and had");
  }
}
