package dev.varve.engine.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.blocks.JournalEntry.DamagedEntryException;
import dev.varve.layout.block.KindCode;
import dev.varve.model.Kind;
import dev.varve.store.LaterFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class JournalEntryTest {
  @Property(tries = 500)
  void returnsEverySample(@ForAll Random random) throws DamagedEntryException {
    ColumnBatch batch = batch(random);
    ColumnBatch again = new ColumnBatch();
    byte[] bytes = encoded(batch);
    JournalEntry.decode(bytes, 0, bytes.length, again);
    assertThat(samples(again)).isEqualTo(samples(batch));
  }

  @Property(tries = 500)
  void noticesEveryChangedByte(@ForAll Random random) {
    byte[] bytes = encoded(batch(random));
    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    assertThatThrownBy(() -> JournalEntry.decode(bytes, 0, bytes.length, new ColumnBatch()))
        .isInstanceOf(DamagedEntryException.class);
  }

  @Test
  void refusesALaterFormatByName() {
    byte[] bytes = encoded(batch(new Random(1)));
    bytes[0]++;
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - 4);
    ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) crc.getValue());
    assertThatThrownBy(() -> JournalEntry.decode(bytes, 0, bytes.length, new ColumnBatch()))
        .isInstanceOf(LaterFormatException.class)
        .hasMessage(
            "a journal entry has format 2, but this version reads format 1: use a later version");
  }

  @Property(tries = 500)
  void noticesThatItsEndIsMissing(@ForAll Random random) {
    byte[] bytes = encoded(batch(random));
    int length = random.nextInt(bytes.length);
    assertThatThrownBy(() -> JournalEntry.decode(bytes, 0, length, new ColumnBatch()))
        .isInstanceOf(DamagedEntryException.class);
  }

  @Test
  void returnsPowersOfTwoAndTheirNeighbours() throws DamagedEntryException {
    ColumnBatch batch = new ColumnBatch();
    batch.begin(1, Kind.DOUBLE);
    long time = 0;
    for (int exponent = Double.MIN_EXPONENT; exponent <= Double.MAX_EXPONENT; exponent++) {
      double power = Math.scalb(1.0, exponent);
      for (double value : new double[] {Math.nextDown(power), power, Math.nextUp(power)}) {
        for (double scaled : new double[] {value, value / 10, value / 1000}) {
          batch.add(time++, Double.doubleToRawLongBits(scaled));
          batch.add(time++, Double.doubleToRawLongBits(-scaled));
        }
      }
    }
    ColumnBatch again = new ColumnBatch();
    byte[] bytes = encoded(batch);
    JournalEntry.decode(bytes, 0, bytes.length, again);
    assertThat(samples(again)).isEqualTo(samples(batch));
  }

  @Test
  void takesFiveBytesForASampleOfAScrape() {
    ColumnBatch batch = new ColumnBatch();
    for (int series = 0; series < 1000; series++) {
      batch.begin(series, Kind.DOUBLE);
      batch.add(1_700_000_000_000L, Double.doubleToRawLongBits(series % 100));
    }
    assertThat(encoded(batch).length).isLessThan(5100);
  }

  private static byte[] encoded(ColumnBatch batch) {
    JournalEntry entry = new JournalEntry();
    entry.encode(batch);
    return Arrays.copyOf(entry.bytes(), entry.length());
  }

  private static List<String> samples(ColumnBatch batch) {
    List<String> samples = new ArrayList<>();
    for (int column = 0; column < batch.columns(); column++) {
      for (int i = batch.start(column); i < batch.end(column); i++) {
        Kind kind = batch.kind(column);
        Object value =
            kind == Kind.STRING
                ? new String(batch.text(batch.values()[i]), StandardCharsets.UTF_8)
                : batch.values()[i];
        samples.add("%d %s %d %s".formatted(batch.series(column), kind, batch.times()[i], value));
      }
    }
    return samples;
  }

  private static ColumnBatch batch(Random random) {
    long[] special = {
      0, Long.MIN_VALUE, 0x7ff0000000000002L, Double.doubleToRawLongBits(0.1), -1, Long.MAX_VALUE
    };
    ColumnBatch batch = new ColumnBatch();
    for (int columns = random.nextInt(1, 20); columns > 0; columns--) {
      Kind kind = KindCode.kind(random.nextInt(KindCode.COUNT));
      batch.begin(random.nextInt(1 << random.nextInt(1, 31)), kind);
      for (int count = random.nextInt(1, 10); count > 0; count--) {
        long time = random.nextInt(4) == 0 ? random.nextLong() : 1_700_000_000_000L + count;
        switch (random.nextInt(3)) {
          case 0 -> add(batch, kind, time, special[random.nextInt(special.length)]);
          case 1 -> add(batch, kind, time, random.nextLong() >> random.nextInt(64));
          default -> add(batch, kind, time, Double.doubleToRawLongBits(random.nextInt(1000) / 8.0));
        }
      }
    }
    return batch;
  }

  private static void add(ColumnBatch batch, Kind kind, long time, long value) {
    if (kind == Kind.STRING) {
      batch.add(time, ("text " + value).getBytes(StandardCharsets.UTF_8));
    } else {
      batch.add(time, value);
    }
  }
}
