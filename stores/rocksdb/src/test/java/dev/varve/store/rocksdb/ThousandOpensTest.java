package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Limits;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Closing a store frees all native memory, whatever was left open. */
class ThousandOpensTest {
  private static final int OPENS = 1000;
  private static final int WARM = 300;
  private static final long GROWTH_KILOBYTES_MAX = 64 << 10;
  private static final TableSpec SPEC =
      new TableSpec(
          "t", List.of(FamilySpec.latest("f")), Resolution.MILLISECONDS, Partitioning.NONE);
  private static final ReadPlan ALL =
      ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.all(0)))
          .with(Limits.NONE.withPageCells(1));

  private final Path directory = inMemoryIfPossible();

  /** Opening syncs files, which is irrelevant here and slow on a disk. */
  private static Path inMemoryIfPossible() {
    Path memory = Path.of("/dev/shm");
    try {
      return Files.isWritable(memory)
          ? Files.createTempDirectory(memory, "varve")
          : Files.createTempDirectory("varve");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void delete() throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  @Test
  void everyHandleIsFreed() throws Exception {
    long warm = 0;
    for (int i = 0; i < OPENS; i++) {
      RocksStore store = new RocksStore(directory, RocksOptions.parse(8L << 20, Map.of()));
      Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
      write(table, i);
      CellCursor begun = begin(table);
      Thread other = Thread.ofVirtual().start(() -> begin(table));
      other.join();
      table.read(ALL, null);
      assertThat(store.liveHandles()).as("cursors and what the store has itself").isGreaterThan(12);
      if (i % 2 == 0) {
        begun.close();
      }
      store.close();
      begun.close();
      assertThat(store.liveHandles()).as("after close %d", i).isZero();
      if (i == WARM) {
        warm = residentKilobytes();
      }
    }
    assertThat(residentKilobytes() - warm).as("growth in kB").isLessThan(GROWTH_KILOBYTES_MAX);
  }

  private static void write(Table table, int number) {
    MutationBatch batch = new MutationBatch();
    for (int i = 0; i < 3; i++) {
      batch.put(Bytes.utf8("r" + i), 0, Bytes.EMPTY, number, Bytes.utf8("value " + number));
    }
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
  }

  private static CellCursor begin(Table table) {
    CellCursor cursor = table.read(ALL, null);
    CellBatch page = new CellBatch();
    assertThat(cursor.next(page)).isTrue();
    return cursor;
  }

  /** Returns 0 if the system does not report it. */
  private static long residentKilobytes() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return 0;
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0);
  }
}
