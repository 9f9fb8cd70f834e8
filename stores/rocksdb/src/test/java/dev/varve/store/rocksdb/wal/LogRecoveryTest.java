package dev.varve.store.rocksdb.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.store.DamagedStoreException;
import dev.varve.store.LaterFormatException;
import dev.varve.store.StoreDamage;
import dev.varve.store.StoreDamage.Kind;
import dev.varve.store.StoreDamage.Outcome;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider.Salvage;
import dev.varve.store.rocksdb.wal.LogReader.Bad;
import dev.varve.store.rocksdb.wal.LogReader.Entry;
import dev.varve.store.rocksdb.wal.LogReader.Whole;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handmade logs: distinguishes damage, torn tails, and harmless cases. */
class LogRecoveryTest {
  private static final long NONE = -1;

  @TempDir private Path directory;

  @BeforeEach
  void begin() throws IOException {
    Files.writeString(directory.resolve("CURRENT"), "MANIFEST-000004\n");
    Files.write(directory.resolve("000007.sst"), new byte[100]);
    manifest(5, 5, 9);
  }

  /** Writes a MANIFEST with these logs of the families, and this number of the last edit. */
  private void manifest(int log, int otherLog, int sequence) throws IOException {
    try (LogWriter writer = new LogWriter(directory.resolve("MANIFEST-000004"))) {
      writer.add(new byte[] {1, 2, 'c', 'c', 2, 1, 9, 0, 3, 99, 4, 2});
      writer.add(new byte[] {(byte) 0xc8, 1, 1, (byte) 0xc9, 1, 5, 'c', 'e', 'l', 'l', 's'});
      // A new file in the latest format, with the number of a log among its fields.
      byte[] oldest = {3, 8, 1, 0, 0, 0, 0, 0, 0, 0, 1};
      ByteBuffer file = ByteBuffer.allocate(64);
      file.put(new byte[] {2, (byte) log, 103, 0, 7, 100});
      // The smallest and the largest key, each with its version.
      file.put(new byte[] {9, 'a', 1, 1, 0, 0, 0, 0, 0, 0})
          .put(new byte[] {9, 'b', 1, 9, 0, 0, 0, 0, 0, 0});
      file.put(new byte[] {1, 9}).put(oldest);
      writer.add(Arrays.copyOf(file.array(), file.position()));
      writer.add(new byte[] {(byte) 0xc8, 1, 1, 2, (byte) otherLog, 4, (byte) sequence});
    }
  }

  /** Returns a batch of three edits as stored in a log. */
  private static byte[] batch(long sequence, long synced) {
    boolean marked = synced != NONE;
    ByteBuffer bytes = ByteBuffer.allocate(60).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(sequence).putInt(3);
    if (marked) {
      new GroupMark(synced, 1_700_000_000_000L + sequence * 1000).into(bytes.array(), 12);
    }
    return bytes.array();
  }

  private Path log(long number, byte[]... batches) throws IOException {
    Path file = LogFiles.file(directory, number);
    try (LogWriter writer = new LogWriter(file)) {
      for (byte[] batch : batches) {
        writer.add(batch);
      }
    }
    return file;
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 4;
    Files.write(file, bytes);
  }

  private static void cut(Path file, int length) throws IOException {
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), length));
  }

  private List<StoreDamage> open() {
    return LogRecovery.prepare(directory, true, null);
  }

  private StoreDamage refused(String... words) {
    List<StoreDamage> damage = new ArrayList<>();
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            DamagedStoreException.class,
            refusal -> {
              damage.addAll(refusal.damage());
              assertThat(refusal).hasMessageContainingAll(words);
            });
    return damage.getFirst();
  }

  /** Returns the sequence numbers of a log's records; fails if anything in it is bad. */
  private static List<Long> sequences(Path file) throws IOException {
    List<Long> found = new ArrayList<>();
    try (LogReader reader = new LogReader(file, 0, BatchHead.LENGTH)) {
      for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
        assertThat(entry).isInstanceOf(Whole.class);
        found.add(Objects.requireNonNull(BatchHead.of(((Whole) entry).payload())).sequence());
      }
    }
    return found;
  }

  @Test
  void flippedByteBeforeALaterSyncedGroupIsDamage() throws IOException {
    Path log = log(5, batch(10, 9), batch(13, 12), batch(16, 15));
    flip(log, 70);
    byte[] bytes = Files.readAllBytes(log);
    StoreDamage damage =
        refused(
            log.toString(),
            "is damaged at byte 67 (the checksum does not match)",
            "3 edits are missing, written between 2023-11-14T22:13:30Z and 2023-11-14T22:13:36Z",
            "1 readable records with 3 edits follow",
            "Nothing was changed. Restore a backup, or run 'varve serve --recover'");
    assertThat(damage.kind()).isEqualTo(Kind.LOG);
    assertThat(damage.outcome()).isEqualTo(Outcome.IN_PLACE);
    assertThat(damage.lostEdits()).isEqualTo(3);
    assertThat(damage.bytes()).isEqualTo(67);
    assertThat(log).hasBinaryContent(bytes);

    StoreDamage kept = LogRecovery.prepare(directory, true, Salvage.ALL_READABLE).getFirst();
    assertThat(kept.outcome()).isEqualTo(Outcome.SET_ASIDE);
    Path aside = Path.of(Objects.requireNonNull(kept.keptIn()));
    assertThat(aside.resolve("000005.log")).hasBinaryContent(bytes);
    assertThat(aside.resolve("REPORT")).content().contains("3 edits are missing");
    assertThat(sequences(log)).containsExactly(10L, 16L);
  }

  @Test
  void recoveryOfTablesThatCountKeepsNothingBehindTheDamage() throws IOException {
    Path log = log(5, batch(10, 9), batch(13, 12), batch(16, 15));
    Path next = log(6, batch(19, 18));
    flip(log, 70);
    StoreDamage damage = LogRecovery.prepare(directory, true, Salvage.BEFORE_DAMAGE).getFirst();
    assertThat(damage.lostEdits()).isEqualTo(9);
    assertThat(damage.before()).as("the last record is left out too").isNull();
    assertThat(damage.description())
        .contains("are left out, because tables of the store have counters");
    assertThat(sequences(log)).containsExactly(10L);
    assertThat(sequences(next)).isEmpty();
    Path aside = Path.of(Objects.requireNonNull(damage.keptIn()));
    assertThat(aside.resolve("000005.log")).exists();
    assertThat(sequences(aside.resolve("000006.log"))).containsExactly(19L);
  }

  @Test
  void badBytesOfTheLastGroupAreATornTail() throws IOException {
    // Pages of one group reach the disk in any order: the page of its second batch did, that of the
    // first did not.
    Path log = log(5, batch(10, 9), batch(13, 12), batch(16, 12));
    flip(log, 70);
    StoreDamage damage = open().getFirst();
    assertThat(damage.kind()).isEqualTo(Kind.TORN_TAIL);
    assertThat(damage.offset()).isEqualTo(67);
    assertThat(damage.lostEdits()).isEqualTo(6);
    assertThat(damage.outcome())
        .as("a readable record is never thrown away")
        .isEqualTo(Outcome.SET_ASIDE);
    assertThat(sequences(log)).containsExactly(10L);
    assertThat(open()).isEmpty();
  }

  @Test
  void tornTailIsCutInPlace() throws IOException {
    Path log = log(5, batch(10, 9), batch(13, 12));
    cut(log, 130);
    StoreDamage damage = open().getFirst();
    assertThat(damage.kind()).isEqualTo(Kind.TORN_TAIL);
    assertThat(damage.outcome()).isEqualTo(Outcome.CUT);
    assertThat(damage.bytes()).isEqualTo(63);
    assertThat(damage.lostEdits()).isEqualTo(-1);
    assertThat(damage.description()).contains("63 bytes are cut off");
    assertThat(Files.size(log)).isEqualTo(67);
  }

  @Test
  void zerosBehindTheLastRecordAreCut() throws IOException {
    Path log = log(5, batch(10, 9));
    Files.write(log, new byte[9000], StandardOpenOption.APPEND);
    assertThat(open().getFirst().bytes()).isEqualTo(9000);
    assertThat(Files.size(log)).isEqualTo(67);
  }

  @Test
  void cutExactlyAtARecordBorderIsNotSeenAfterACrash() throws IOException {
    Path log = log(5, batch(10, 9), batch(13, 12));
    cut(log, 67);
    assertThat(open()).isEmpty();
  }

  @Test
  void cutAtARecordBorderIsSeenAfterACleanStop() throws IOException {
    Path log = log(5, batch(10, 9), batch(13, 12));
    StateFile.stopped(directory, List.of());
    assertThat(open()).isEmpty();
    cut(log, 67);
    refused(log.toString(), "the file had 134 bytes when the database was closed");
  }

  @Test
  void anyBadByteAfterACleanStopIsDamage() throws IOException {
    Path log = log(5, batch(10, 9), batch(13, 12));
    StateFile.stopped(directory, List.of());
    flip(log, 133);
    refused("at byte 67", "because the database was closed cleanly afterwards");
  }

  @Test
  void otherProgramsMayOpenTheDatabaseAfterACleanStop() throws IOException {
    Path log = log(5, batch(10, 9), batch(13, 12));
    StateFile.stopped(directory, List.of());
    Files.move(directory.resolve("MANIFEST-000004"), directory.resolve("MANIFEST-000008"));
    Files.writeString(directory.resolve("CURRENT"), "MANIFEST-000008\n");
    flip(log, 133);
    assertThat(open().getFirst().kind()).isEqualTo(Kind.TORN_TAIL);
  }

  @Test
  void shorterManifestAfterACleanStopIsRefused() throws IOException {
    log(5, batch(10, 9));
    StateFile.stopped(directory, List.of());
    Path manifest = directory.resolve("MANIFEST-000004");
    cut(manifest, (int) Files.size(manifest) - 14);
    refused(manifest.toString(), "when the database was closed", "Restore a backup");
    assertThatThrownBy(() -> LogRecovery.prepare(directory, true, Salvage.ALL_READABLE))
        .as("a recovery of logs does not mend it")
        .isInstanceOf(DamagedStoreException.class);
  }

  @Test
  void gapBetweenLogsIsDamage() throws IOException {
    log(5, batch(10, 9));
    Path second = log(7, batch(16, 15));
    StoreDamage damage = refused(second.toString(), "records are missing");
    assertThat(damage.lostEdits()).isEqualTo(3);
    assertThat(LogRecovery.prepare(directory, true, Salvage.ALL_READABLE)).hasSize(1);
    assertThat(sequences(second)).containsExactly(16L);
  }

  @Test
  void gapBeforeTheFirstLogIsDamage() throws IOException {
    Path log = log(6, batch(13, 12), batch(16, 15));
    assertThat(refused(log.toString()).lostEdits()).isEqualTo(3);
  }

  @Test
  void missingLogOfARunIsDamage() throws IOException {
    StateFile.running(directory, 5, 9, NONE);
    StoreDamage damage = refused("000005.log is missing");
    assertThat(damage.offset()).isEqualTo(-1);
    assertThat(LogRecovery.prepare(directory, true, Salvage.ALL_READABLE)).hasSize(1);

    StateFile.running(directory, 4, 9, NONE);
    assertThat(open()).as("a log that is in tables is not missed").isEmpty();
  }

  @Test
  void missingLogAfterACleanStopIsDamage() throws IOException {
    Path log = log(5, batch(10, 9));
    StateFile.stopped(directory, List.of());
    Files.delete(log);
    refused("000005.log is missing");
  }

  @Test
  void missingCurrentIsRefusedInsteadOfANewDatabase() throws IOException {
    Files.delete(directory.resolve("CURRENT"));
    refused("CURRENT is missing", "Restore a backup");
  }

  @Test
  void emptyDirectoryIsANewDatabase() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    assertThat(LogRecovery.prepare(empty, true, null)).isEmpty();
  }

  @Test
  void badFirstRecordIsJudgedByTheNumberBeforeIt() throws IOException {
    StateFile.running(directory, 5, 9, NONE);
    Path log = log(5, batch(10, 9), batch(13, 12));
    flip(log, 30);
    assertThat(refused("at byte 0").lostEdits()).isEqualTo(3);
    StateFile.running(directory, 5, -1, NONE);
    assertThat(refused("at byte 0").lostEdits()).as("unknown").isEqualTo(-1);
  }

  @Test
  void logWithoutAReadableRecordIsDamageOnceSomethingInItWasSynced() throws IOException {
    Path log = log(5, batch(10, 9));
    flip(log, 30);
    StateFile.running(directory, 5, 9, 12);
    StoreDamage damage = refused("at byte 0", "it was recorded as synced when the log was new");
    assertThat(damage.kind()).isEqualTo(Kind.LOG);
    assertThat(damage.before()).as("times of files prove nothing").isNull();
    StateFile.running(directory, 5, 9, 9);
    assertThat(open().getFirst().kind()).isEqualTo(Kind.TORN_TAIL);
  }

  @Test
  void recordWithoutAMarkIsNoneOfOurs() throws IOException {
    log(5, batch(10, 9), batch(13, NONE), batch(16, 15));
    StateFile.running(directory, 5, 9, NONE);
    refused("a record that is not a batch of Varve");
  }

  @Test
  void recordsOfOlderVersionsBearNoMark() throws IOException {
    Path log = log(5, batch(10, NONE), batch(13, NONE), batch(16, NONE));
    assertThat(open()).isEmpty();
    flip(log, 70);
    refused("at byte 67", "a record of an older version follows, which synced each");
    StoreDamage damage = LogRecovery.prepare(directory, false, null).getFirst();
    assertThat(damage.kind()).as("a store that does not sync").isEqualTo(Kind.TORN_TAIL);
    assertThat(sequences(log)).containsExactly(10L);
  }

  @Test
  void logThatIsInTablesMayBeBad() throws IOException {
    manifest(6, 6, 15);
    Path log = log(5, batch(10, 9), batch(13, 12));
    flip(log, 30);
    log(6, batch(16, 15));
    assertThat(open()).isEmpty();
  }

  @Test
  void logFromBeforeAFlushHadBeenSynced() throws IOException {
    manifest(5, 6, 15);
    Path log = log(5, batch(10, 9), batch(13, 9));
    cut(log, 100);
    refused(log.toString(), "the log had been synced before tables were written");
  }

  @Test
  void leftoverOfAnAppendThatFailedIsNoDamage() throws IOException {
    Path log = log(5, batch(10, 9), batch(13, 12));
    cut(log, 100);
    Path next = log(6, batch(13, 12), batch(16, 15));
    assertThat(open()).isEmpty();
    assertThat(sequences(log)).as("what RocksDB would reject is removed").containsExactly(10L);
    assertThat(sequences(next)).containsExactly(13L, 16L);
  }

  @Test
  void tornTailBeforeANewerLogCutsThatToo() throws IOException {
    Path log = log(5, batch(10, 9), batch(13, 12));
    Path next = log(6, batch(16, 12));
    cut(log, 100);
    StoreDamage damage = open().getFirst();
    assertThat(damage.kind()).isEqualTo(Kind.TORN_TAIL);
    assertThat(damage.lostEdits()).isEqualTo(6);
    assertThat(damage.bytes()).isEqualTo(33 + 67);
    assertThat(sequences(log)).containsExactly(10L);
    assertThat(sequences(next)).isEmpty();
  }

  @Test
  void damagedStateFileIsAsNone() throws IOException {
    Path log = log(5, batch(10, 9), batch(13, 12));
    StateFile.stopped(directory, List.of());
    Path state = directory.resolve("varve-state");
    byte[] whole = Files.readAllBytes(state);
    for (int i = 0; i < whole.length; i++) {
      Files.write(state, whole);
      flip(state, i);
      assertThat(StateFile.read(directory)).as("flip at %d", i).isNull();
      cut(state, i);
      assertThat(StateFile.read(directory)).as("cut at %d", i).isNull();
    }
    flip(log, 133);
    assertThat(open().getFirst().kind()).isEqualTo(Kind.TORN_TAIL);
  }

  @Test
  void writtenRecordsOfAllLengthsAreRead() throws IOException {
    Path file = directory.resolve("lengths");
    List<byte[]> payloads = new ArrayList<>();
    for (int length : new int[] {0, 1, 32_750, 8, 4, 3, 2, 65_507, 32_761, 100_000, 32_754, 5}) {
      byte[] payload = new byte[length];
      Arrays.fill(payload, (byte) length);
      payloads.add(payload);
    }
    try (LogWriter writer = new LogWriter(file)) {
      for (byte[] payload : payloads) {
        writer.add(payload);
      }
    }
    try (LogReader reader = new LogReader(file, 0, Integer.MAX_VALUE)) {
      for (byte[] payload : payloads) {
        assertThat(((Whole) Objects.requireNonNull(reader.next())).payload()).isEqualTo(payload);
      }
      assertThat(reader.next()).isNull();
    }
  }

  /**
   * If the first page of a block is swapped with that of another block, it brings a complete record
   * end with it.
   */
  @Test
  void recordOfFragmentsOfTwoIsBad() throws IOException {
    StateFile.running(directory, 5, 9, NONE);
    byte[] first = filled(10, 9, 32_800);
    byte[] second = filled(13, 12, 40_000);
    byte[] third = filled(16, 15, 32_800);
    Path log = log(5, first, second, third, batch(19, 18));
    byte[] bytes = Files.readAllBytes(log);
    // In both logs the end of a record is the first fragment of the second block.
    byte[] other = Files.readAllBytes(log(9, filled(100, 99, 32_800)));
    Files.delete(LogFiles.file(directory, 9));
    int end = LogForm.HEADER + 32_800 - (LogForm.BLOCK - LogForm.HEADER);
    System.arraycopy(other, LogForm.BLOCK, bytes, LogForm.BLOCK, end);
    Files.write(log, bytes);
    assertThat(refused("at byte 0 (a record made of fragments of others)").lostEdits())
        .isEqualTo(3);
    LogRecovery.prepare(directory, true, Salvage.ALL_READABLE);
    assertThat(sequences(log)).containsExactly(13L, 16L, 19L);
  }

  /** Returns a batch of a given length, filled with its number. */
  private static byte[] filled(long sequence, long synced, int length) {
    byte[] batch = Arrays.copyOf(batch(sequence, synced), length);
    Arrays.fill(batch, BatchHead.LENGTH, length, (byte) sequence);
    GroupMark mark = Objects.requireNonNull(GroupMark.of(batch, BatchHead.HEADER));
    mark.into(batch, BatchHead.HEADER);
    return batch;
  }

  @Test
  void valueThatLooksLikeARecordIsNotTakenForOne() throws IOException {
    byte[] inner = Files.readAllBytes(log(9, batch(100, 99)));
    Files.delete(LogFiles.file(directory, 9));
    byte[] outer = Arrays.copyOf(batch(13, 12), 400);
    System.arraycopy(inner, 0, outer, 200, inner.length);
    Path log = log(5, batch(10, 9), outer);
    flip(log, 67 + 4);
    try (LogReader reader = new LogReader(log, 0, Integer.MAX_VALUE)) {
      assertThat(reader.next()).isInstanceOf(Whole.class);
      assertThat(reader.next()).isInstanceOf(Bad.class);
      @Nullable Entry after = reader.next();
      assertThat(after).isNull();
    }
  }

  @Test
  void databaseOpenInAnotherProcessIsLeftAlone() throws Exception {
    Path log = log(5, batch(10, 9), batch(13, 12));
    cut(log, 100);
    try (var channel =
            FileChannel.open(
                directory.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = channel.lock()) {
      assertThatThrownBy(this::open)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("is in use: a running store");
    }
    assertThat(Files.size(log)).as("its torn tail is left to its owner").isEqualTo(100);
  }

  @Test
  void recordIsWrittenAndReadAsThePageSays() throws IOException {
    String page = Files.readString(Path.of("../../docs/stores/rocksdb.md"));
    Matcher example = Pattern.compile("```log\\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(example.find()).isTrue();
    String hex =
        example.group(1).lines().map(line -> line.substring(8)).collect(Collectors.joining());
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    byte[] batch = Arrays.copyOfRange(bytes, LogForm.HEADER, bytes.length);
    Path file = log(5, batch);
    assertThat(file).hasBinaryContent(bytes);
    assertThat(BatchHead.of(batch))
        .isEqualTo(new BatchHead(10, 1, new GroupMark(9, 1_700_000_000_000L, 0xbe6cb40b)));
    try (LogReader reader = new LogReader(file, 0, BatchHead.LENGTH)) {
      assertThat(((Whole) Objects.requireNonNull(reader.next())).checksum()).isEqualTo(0xbe6cb40b);
    }
  }

  @Test
  void timesAreThoseOfTheMarks() {
    GroupMark mark = new GroupMark(7, Instant.parse("2026-11-23T10:00:00Z").toEpochMilli());
    byte[] bytes = new byte[GroupMark.LENGTH];
    mark.into(bytes, 0);
    GroupMark read = Objects.requireNonNull(GroupMark.of(bytes, 0));
    assertThat(new GroupMark(read.syncedThrough(), read.millis())).isEqualTo(mark);
    bytes[3]++;
    assertThatThrownBy(() -> GroupMark.of(bytes, 0))
        .isInstanceOf(LaterFormatException.class)
        .hasMessageContaining("the mark of a batch has format 2, but this version reads format 1");
    assertThat(StoreException.class).isAssignableFrom(DamagedStoreException.class);
  }
}
