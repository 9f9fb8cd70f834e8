package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.DamagedStoreException;
import dev.varve.store.DirectoryTree;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreDamage;
import dev.varve.store.StoreDamage.Kind;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider.Salvage;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.contract.CrashImage;
import dev.varve.store.rocksdb.wal.LogFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damages the log of a store in every way that disks and crashes do, and opens it. Either
 * everything acknowledged is present, or the opening fails and names the file and the offset, or
 * the loss is reported.
 */
class LogDamageTest {
  private static final int CASES = Integer.getInteger("varve.wal.damage", 8);
  private static final int BLOCK = 32 << 10;
  private static final int PAGE = 4096;
  private static final TableSpec SPEC =
      new TableSpec(
          "t", List.of(FamilySpec.latest("f")), Resolution.MILLISECONDS, Partitioning.NONE);

  @TempDir private Path temp;

  /**
   * A copy of a store on the disk at some moment.
   *
   * @param rows the rows in the order of writing, which is that of their keys
   * @param clean whether it had been closed cleanly
   */
  private record Image(
      Path directory, Map<String, Bytes> rows, RocksOptions options, boolean clean) {
    Map<String, Bytes> first(int count) {
      Map<String, Bytes> first = new TreeMap<>();
      rows.entrySet().stream().limit(count).forEach(row -> first.put(row.getKey(), row.getValue()));
      return first;
    }
  }

  @Test
  void crashOfASyncedStoreLosesNothingSilently() throws IOException {
    damageMany(image(true, false, 11), 1);
  }

  @Test
  void crashOfAnUnsyncedStoreLosesNothingSilently() throws IOException {
    damageMany(image(false, false, 12), 2);
  }

  @Test
  void damageAfterACleanStopIsNeverTakenForATornTail() throws IOException {
    damageMany(image(true, true, 13), 3);
    damageMany(image(false, true, 14), 4);
  }

  private void damageMany(Image image, long seed) throws IOException {
    for (int i = 0; i < CASES; i++) {
      long one = seed << 32 | i;
      Random random = new Random(one);
      Path copy = temp.resolve("case-" + one);
      copy(image.directory(), copy);
      Path log = newest(copy);
      byte[] before = Files.readAllBytes(log);
      byte[] after = before.clone();
      String what = "seed %d: ".formatted(one);
      for (int times = random.nextInt(3); times >= 0; times--) {
        what += damage(after, random) + ", ";
      }
      if (random.nextInt(5) == 0) {
        after = Arrays.copyOf(after, random.nextInt(after.length));
        what += "cut at " + after.length;
      }
      Files.write(log, after);
      check(image, copy, new Judge(image, before, after), random.nextBoolean(), what);
      DirectoryTree.delete(copy);
    }
  }

  private static Path newest(Path directory) throws IOException {
    SortedMap<Long, Path> logs = LogFiles.of(directory);
    return Objects.requireNonNull(logs.get(logs.lastKey()));
  }

  private static String damage(byte[] bytes, Random random) {
    int at = random.nextInt(bytes.length);
    int page = at / PAGE * PAGE;
    int end = Math.min(bytes.length, page + PAGE);
    int other = random.nextInt(bytes.length) / PAGE * PAGE;
    return switch (random.nextInt(4)) {
      case 0, 1 -> {
        bytes[at] ^= (byte) (1 << random.nextInt(8));
        yield "flip at " + at;
      }
      case 2 -> {
        Arrays.fill(bytes, page, end, (byte) 0);
        yield "zeroed page at " + page;
      }
      default -> {
        int length = Math.min(end - page, bytes.length - other);
        byte[] kept = Arrays.copyOfRange(bytes, page, page + length);
        System.arraycopy(bytes, other, bytes, page, length);
        System.arraycopy(kept, 0, bytes, other, length);
        yield "pages at %d and %d swapped".formatted(page, other);
      }
    };
  }

  private void check(Image image, Path directory, Judge judge, boolean all, String what)
      throws IOException {
    Throwable refusal;
    List<StoreDamage> damage = List.of();
    Map<String, Bytes> found = Map.of();
    try (RocksStore store = open(directory, image.options(), null)) {
      refusal = null;
      damage = store.damage();
      found = rows(store);
    } catch (StoreException e) {
      refusal = e;
    }
    if (refusal != null) {
      assertThat(judge.mayRefuse()).as(what + refusal.getMessage()).isTrue();
      checkRefusal(refusal, what);
      recover(image, directory, judge, all, what);
      return;
    }
    assertThat(judge.mustRefuse()).as(what).isFalse();
    assertThat(what + found.keySet()).isEqualTo(what + image.first(found.size()).keySet());
    assertThat(found).as(what).isEqualTo(image.first(found.size()));
    if (found.size() < image.rows().size()) {
      assertThat(damage).as(what).isNotEmpty();
      assertThat(damage).extracting(StoreDamage::kind).as(what).containsOnly(Kind.TORN_TAIL);
      assertThat(damage.getFirst().bytes()).as(what).isPositive();
    }
    isAsBefore(directory, image, found, what);
  }

  private static void checkRefusal(Throwable refusal, String what) {
    assertThat(refusal).as(what).isInstanceOf(DamagedStoreException.class);
    StoreDamage first = ((DamagedStoreException) refusal).damage().getFirst();
    assertThat(refusal)
        .as(what)
        .hasMessageContaining(first.file())
        .hasMessageContaining("at byte %,d (".formatted(first.offset()))
        .hasMessageContaining("Nothing was changed")
        .hasMessageContaining("varve serve --recover");
  }

  private void recover(Image image, Path directory, Judge judge, boolean all, String what)
      throws IOException {
    Path log = newest(directory);
    byte[] damaged = Files.readAllBytes(log);
    Salvage salvage = all ? Salvage.ALL_READABLE : Salvage.BEFORE_DAMAGE;
    Map<String, Bytes> found;
    try (RocksStore store = open(directory, image.options(), salvage)) {
      found = rows(store);
      List<StoreDamage> damage = store.damage();
      assertThat(damage).as(what).isNotEmpty();
      Path kept = Path.of(Objects.requireNonNull(damage.getFirst().keptIn(), what));
      assertThat(Files.readAllBytes(kept.resolve(log.getFileName()))).as(what).isEqualTo(damaged);
      long lost = 0;
      for (StoreDamage one : damage) {
        lost = lost < 0 || one.lostEdits() < 0 ? -1 : lost + one.lostEdits();
        assertThat(one.after() == null)
            .as(what)
            .isEqualTo(judge.firstBad() == 0 && one.equals(damage.getFirst()));
      }
      if (lost >= 0) {
        assertThat((long) image.rows().size() - found.size()).as(what + damage).isEqualTo(lost);
      }
    }
    if (all) {
      assertThat(found.keySet()).as(what).containsAll(judge.survivors());
      found.forEach((row, value) -> assertThat(value).as(what).isEqualTo(image.rows().get(row)));
    } else {
      assertThat(found).as(what).isEqualTo(image.first(found.size()));
    }
    isAsBefore(directory, image, found, what);
  }

  /** Checks that another start finds the same rows and reports nothing. */
  private static void isAsBefore(
      Path directory, Image image, Map<String, Bytes> found, String what) {
    try (RocksStore store = open(directory, image.options(), null)) {
      assertThat(store.damage()).as(what).isEmpty();
      assertThat(rows(store)).as(what).isEqualTo(found);
    }
  }

  /**
   * Computes the permitted verdicts from the bytes before and after the damage. A record that has
   * changed is bad. It is proven to be damage by a later unchanged record that was written after
   * the bad one had been synced.
   */
  private static final class Judge {
    private record Written(
        int offset, int end, List<int[]> fragments, long sequence, long synced) {}

    private final Image image;
    private final List<Written> records = new ArrayList<>();
    private final List<Boolean> good = new ArrayList<>();
    private final boolean shorter;

    Judge(Image image, byte[] before, byte[] after) {
      this.image = image;
      this.shorter = after.length < before.length;
      ByteBuffer bytes = ByteBuffer.wrap(before).order(ByteOrder.LITTLE_ENDIAN);
      List<int[]> fragments = new ArrayList<>();
      int at = 0;
      while (at + 7 <= before.length) {
        if (BLOCK - at % BLOCK < 7) {
          at += BLOCK - at % BLOCK;
          continue;
        }
        int end = at + 7 + (bytes.getShort(at + 4) & 0xffff);
        int type = before[at + 6];
        fragments.add(new int[] {at, end});
        if (type == 1 || type == 4) {
          records.add(written(before, fragments));
          fragments = new ArrayList<>();
        }
        at = end;
      }
      for (Written record : records) {
        boolean same = true;
        for (int[] fragment : record.fragments()) {
          same &=
              fragment[1] <= after.length
                  && Arrays.equals(
                      before, fragment[0], fragment[1], after, fragment[0], fragment[1]);
        }
        good.add(same);
      }
    }

    private static Written written(byte[] before, List<int[]> fragments) {
      ByteArrayOutputStream payload = new ByteArrayOutputStream();
      for (int[] fragment : fragments) {
        payload.write(before, fragment[0] + 7, fragment[1] - fragment[0] - 7);
      }
      ByteBuffer batch = ByteBuffer.wrap(payload.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
      return new Written(
          fragments.getFirst()[0],
          fragments.getLast()[1],
          List.copyOf(fragments),
          batch.getLong(0),
          batch.getLong(20));
    }

    private int firstBad() {
      return good.indexOf(false);
    }

    boolean mayRefuse() {
      return firstBad() >= 0 && (image.clean() || proofs(false));
    }

    boolean mustRefuse() {
      return image.clean() ? shorter || firstBad() >= 0 : firstBad() >= 0 && proofs(true);
    }

    /**
     * Returns whether a good record proves that the first bad one had been synced.
     *
     * @param findable whether everything after it in its block must be good, too
     */
    private boolean proofs(boolean findable) {
      int bad = firstBad();
      for (int i = bad + 1; i < records.size(); i++) {
        if (good.get(i)
            && records.get(i).synced() >= records.get(bad).sequence()
            && (!findable || isFindable(i))) {
          return true;
        }
      }
      return false;
    }

    private boolean isFindable(int index) {
      int block = records.get(index).offset() / BLOCK;
      for (int i = index; i < records.size() && records.get(i).offset() / BLOCK == block; i++) {
        if (!good.get(i)) {
          return false;
        }
      }
      return true;
    }

    /**
     * Returns the rows that a recovery must keep: those of good records that a later record proves.
     */
    Set<String> survivors() {
      Set<String> rows = new HashSet<>();
      long synced = 0;
      for (int i = records.size() - 1; i >= 0; i--) {
        boolean findable = good.get(i) && isFindable(i);
        if (findable && (image.clean() || records.get(i).sequence() <= synced)) {
          rows.addAll(rowsOf(i));
        }
        synced = findable ? Math.max(synced, records.get(i).synced()) : synced;
      }
      return rows;
    }

    private Set<String> rowsOf(int index) {
      long first = records.getFirst().sequence();
      long from = records.get(index).sequence() - first;
      long to =
          index + 1 < records.size()
              ? records.get(index + 1).sequence() - first
              : image.rows().size();
      return image.rows().keySet().stream().skip(from).limit(to - from).collect(Collectors.toSet());
    }
  }

  private Image image(boolean sync, boolean clean, long seed) throws IOException {
    RocksOptions options = RocksOptions.parse(64L << 20, Map.of("sync", String.valueOf(sync)));
    Path directory = temp.resolve("written-" + seed);
    Path image = temp.resolve("image-" + seed);
    try (RocksStore store = open(directory, options, null)) {
      store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
    }
    Random random = new Random(seed);
    Map<String, Bytes> rows = new TreeMap<>();
    RocksStore store = open(directory, options, null);
    Table table = store.open(SPEC, OpenMode.READ_WRITE);
    for (int group = 0; group < 40; group++) {
      int ordered = random.nextInt(3);
      for (int i = 0; i <= ordered; i++) {
        MutationBatch batch = new MutationBatch();
        for (int row = random.nextInt(4); row >= 0; row--) {
          String key = "r%06d".formatted(rows.size());
          byte[] value = new byte[random.nextInt(16) == 0 ? 50_000 : 10 + random.nextInt(300)];
          random.nextBytes(value);
          rows.put(key, Bytes.of(value));
          batch.put(Bytes.utf8(key), 0, Bytes.EMPTY, 1, Bytes.of(value));
        }
        Durability durability = i == ordered ? Durability.SYNCED : Durability.ORDERED;
        assertThat(table.apply(batch, durability)).isEmpty();
      }
    }
    if (clean) {
      store.close();
      copy(directory, image);
    } else {
      CrashImage.copy(directory, image);
      store.close();
    }
    return new Image(image, rows, options, clean);
  }

  private static RocksStore open(Path directory, RocksOptions options, @Nullable Salvage salvage) {
    return new RocksStore(directory, options, salvage);
  }

  private static Map<String, Bytes> rows(RocksStore store) {
    Map<String, Bytes> rows = new TreeMap<>();
    Table table = store.open(SPEC, OpenMode.READ_ONLY);
    ReadPlan all = ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.all(0)));
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(all, null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          rows.put(page.cell(i).row().toUtf8(), page.cell(i).value());
        }
      }
    }
    return rows;
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }
}
