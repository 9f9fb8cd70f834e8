package dev.varve.layout.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.DamagedCellException;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import dev.varve.store.LaterFormatException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class BlockTest {
  private static final long START = 1_700_000_000_000L;

  @Property(tries = 500)
  void returnsEverySampleOfARange(@ForAll Random random) {
    SampleColumn column = column(random);
    BlockWriter writer = new BlockWriter();
    int from = random.nextInt(column.size());
    int to = random.nextInt(from, column.size()) + 1;
    writer.encode(column, from, to);
    BlockHead head = head(writer);
    assertThat(head.count()).isEqualTo(to - from);
    assertThat(head.first()).isEqualTo(column.time(from));
    assertThat(head.last()).isEqualTo(column.time(to - 1));
    assertThat(decoded(writer, TimeRange.ALL)).isEqualTo(samples(column, from, to, TimeRange.ALL));
    long a = column.time(random.nextInt(column.size())) + random.nextInt(-1, 2);
    long b = column.time(random.nextInt(column.size())) + random.nextInt(-1, 2);
    TimeRange some = new TimeRange(Math.min(a, b), Math.max(a, b));
    assertThat(decoded(writer, some)).isEqualTo(samples(column, from, to, some));
    assertThat(head.overlaps(some) || decoded(writer, some).isEmpty()).isTrue();
  }

  @Property(tries = 300)
  void noticesEveryChangedByte(@ForAll Random random) {
    SampleColumn column = column(random);
    BlockWriter writer = new BlockWriter();
    writer.encode(column, 0, column.size());
    BlockHead head = head(writer);
    byte[] headBytes = writer.head().toArray();
    headBytes[random.nextInt(headBytes.length)] ^= (byte) (1 << random.nextInt(8));
    assertThatThrownBy(() -> BlockHead.read(headBytes, 0, headBytes.length))
        .isInstanceOf(DamagedCellException.class);
    byte[] body = writer.body().toArray();
    if (body.length > 0) {
      body[random.nextInt(body.length)] ^= (byte) (1 << random.nextInt(8));
      assertThatThrownBy(() ->
              new BlockReader()
                  .decode(head, null, body, 0, body.length, TimeRange.ALL, new SampleColumn()))
          .isInstanceOf(DamagedCellException.class);
    }
  }

  @Test
  void refusesALaterFormatByName() {
    SampleColumn column = column(new Random(1));
    BlockWriter writer = new BlockWriter();
    writer.encode(column, 0, column.size());
    byte[] head = writer.head().toArray();
    head[0]++;
    ByteOutput again = new ByteOutput();
    again.raw(head, 0, head.length - Integer.BYTES);
    again.u32(again.checksum());
    byte[] later = again.toBytes().toArray();
    assertThatThrownBy(() -> BlockHead.read(later, 0, later.length))
        .isInstanceOf(LaterFormatException.class)
        .hasMessage("a block has format 4, but this version reads format 3: use a later version");
  }

  @Property(tries = 1000)
  void refusesBytesThatNoWriterMadeByName(@ForAll Random random) {
    SampleColumn column = column(random);
    BlockWriter writer = new BlockWriter();
    writer.encode(column, 0, column.size());
    byte[] body = writer.body().toArray();
    for (int i = random.nextInt(4); i >= 0 && body.length > 0; i--) {
      body[random.nextInt(body.length)] = (byte) random.nextInt();
    }
    int length = random.nextInt(body.length + 1);
    try {
      new BlockReader()
          .decodeUnchecked(head(writer), null, body, 0, length, TimeRange.ALL, new SampleColumn());
    } catch (DamagedCellException e) {
      assertThat(e).hasMessageStartingWith("value: ");
    }
  }

  private static BlockHead head(BlockWriter writer) {
    return BlockHead.read(writer.head().toArray(), 0, writer.head().length());
  }

  private static List<String> decoded(BlockWriter writer, TimeRange range) {
    SampleColumn into = new SampleColumn();
    byte[] body = writer.body().toArray();
    new BlockReader().decode(head(writer), null, body, 0, body.length, range, into);
    return samples(into, 0, into.size(), TimeRange.ALL);
  }

  private static List<String> samples(SampleColumn column, int from, int to, TimeRange range) {
    List<String> samples = new ArrayList<>();
    for (int i = from; i < to; i++) {
      if (range.contains(column.time(i))) {
        Kind kind = column.kind(i);
        String value =
            kind == Kind.STRING
                ? new String(column.textAt(i), StandardCharsets.UTF_8)
                : String.valueOf(column.value(i));
        samples.add(column.time(i) + " " + kind + " " + value);
      }
    }
    return samples;
  }

  private static SampleColumn column(Random random) {
    SampleColumn column = new SampleColumn();
    boolean regular = random.nextBoolean();
    boolean mixed = random.nextInt(4) == 0;
    Kind only = KindCode.kind(random.nextInt(3));
    int count = random.nextInt(1, random.nextInt(8) == 0 ? 3000 : 50);
    long[] longs = ColumnsTest.longs(random);
    long[] doubles = ColumnsTest.doubles(random);
    long time = START;
    for (int i = 0; i < count; i++) {
      time += regular ? 10_000 : 1 + random.nextInt(20_000);
      Kind kind = mixed ? KindCode.kind(random.nextInt(3)) : only;
      switch (kind) {
        case INT64 -> column.add(time, kind, longs.length == 0 ? 0 : longs[i % longs.length]);
        case DOUBLE ->
            column.add(time, kind, doubles.length == 0 ? 0 : doubles[i % doubles.length]);
        case STRING ->
            column.addText(time, ("text " + random.nextInt(20)).getBytes(StandardCharsets.UTF_8));
      }
    }
    return column;
  }
}
