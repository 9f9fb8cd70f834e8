package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.layout.Step;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Bytes that the layout does not write are refused. What is not refused means exactly those bytes:
 * encoded again it gives them back.
 */
class DamageTest {
  private static final long STAMP = 1_700_000_000_000_000L;

  @Property(tries = 2000)
  void damagedCellsAreRefusedOrMeanExactlyTheirBytes(
      @ForAll("layouts") Layout layout, @ForAll("values") Value value, @ForAll long seed) {
    Random random = new Random(seed);
    Cell whole = cell(layout, value);
    Cell damaged =
        switch (random.nextInt(3)) {
          case 0 ->
              new Cell(
                  mutate(whole.row(), random), 0, whole.qualifier(), whole.time(), whole.value());
          case 1 ->
              new Cell(
                  whole.row(), 0, mutate(whole.qualifier(), random), whole.time(), whole.value());
          default ->
              new Cell(
                  whole.row(), 0, whole.qualifier(), whole.time(), mutate(whole.value(), random));
        };
    CellBatch batch = new CellBatch();
    batch.add(damaged);
    RowSamples decoded = new RowSamples();
    layout.decode(batch, 0, 1, decoded);
    if (isOfAKindToCome(layout, decoded)) {
      return;
    }
    if (decoded.damages().isEmpty()) {
      GroupKey key = ((Step.Done<GroupKey>) layout.identify(damaged.row())).value();
      assertThat(again(layout, key, decoded, damaged)).isEqualTo(damaged);
    } else {
      assertThat(decoded.vectors()).allSatisfy(v -> assertThat(v.samples().isEmpty()).isTrue());
      assertThatThrownBy(() -> layout.describe(0, damaged))
          .isInstanceOf(DamagedCellException.class);
    }
  }

  /** The one field of a packed cell was changed to a kind that readers skip. */
  private static boolean isOfAKindToCome(Layout layout, RowSamples decoded) {
    return decoded.damages().isEmpty()
        && decoded.vectors().stream().allMatch(vector -> vector.samples().isEmpty())
        && layout.identity().parameters().containsKey("codec.packed");
  }

  private static Cell cell(Layout layout, Value value) {
    GroupKey key = new GroupKey("cpu", Tags.of("host", "a\0b", "z", "é"), Tags.of("host", "pod-1"));
    return new Cells(layout)
        .add(group(key, "fi\0ld", 1_425_168_005_000L, value), STAMP)
        .stored()
        .getFirst();
  }

  private static SampleGroup group(GroupKey key, String field, long time, Value value) {
    return new BatchBuilder().add(key, field, time, value).build().groups().getFirst();
  }

  private static Cell again(Layout layout, GroupKey key, RowSamples decoded, Cell damaged) {
    BatchBuilder builder = new BatchBuilder();
    long stamp = STAMP;
    for (RowSamples.Vector vector : decoded.vectors()) {
      Samples samples = vector.samples();
      for (int i = 0; i < samples.size(); i++) {
        builder.add(key, vector.field(), samples.time(i), samples.value(i));
        stamp = samples.stamp(i) == 0 ? stamp : samples.stamp(i);
      }
    }
    Cells cells = new Cells(layout).add(builder.build().groups().getFirst(), stamp);
    assertThat(cells.refusals).isEmpty();
    Cell encoded = cells.stored().getFirst();
    return new Cell(
        encoded.row(), encoded.family(), encoded.qualifier(), damaged.time(), encoded.value());
  }

  /** Cuts, lengthens or changes a byte, often to one that means something. */
  private static Bytes mutate(Bytes bytes, Random random) {
    byte[] array = bytes.toArray();
    int at = array.length == 0 ? 0 : random.nextInt(array.length);
    byte[] telling = {0, 1, 2, (byte) 0xff, 0x10, 0x20, 0x30, 0x40, (byte) 0x80};
    byte other =
        random.nextBoolean() ? telling[random.nextInt(telling.length)] : (byte) random.nextInt();
    int kind = array.length == 0 ? 1 : random.nextInt(4);
    return switch (kind) {
      case 0 -> Bytes.copyOf(array, 0, at);
      case 1 -> bytes.slice(0, at).concat(Bytes.of(other)).concat(bytes.slice(at, array.length));
      case 2 -> bytes.slice(0, at).concat(bytes.slice(at + 1, array.length));
      default -> {
        array[at] = other;
        yield Bytes.of(array);
      }
    };
  }

  @Provide
  Arbitrary<Layout> layouts() {
    return new RoundTripTest().layouts();
  }

  @Provide
  Arbitrary<Value> values() {
    List<Value> values =
        new ArrayList<>(
            List.of(
                new Value.Int64(0),
                new Value.Int64(-129),
                new Value.Int64(Long.MIN_VALUE),
                new Value.Real(0),
                new Value.Real(42),
                new Value.Real(0.1),
                new Value.Text(""),
                new Value.Text("up\0"),
                new Value.Text("é")));
    return Arbitraries.of(values);
  }
}
