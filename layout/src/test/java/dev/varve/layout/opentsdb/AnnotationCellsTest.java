package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.NoteCells;
import dev.varve.layout.RefusedException;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** The cells of annotations by TSUID are those that the layout writes for their series. */
class AnnotationCellsTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a", "dc", "b"));
  private static final GroupKey NONE = GroupKey.of("", Tags.EMPTY);

  private static final OpenTsdbLayout LAYOUT =
      OpenTsdbLayout.of(Map.of("saltWidth", "1", "saltBuckets", "7", "metricWidth", "4"));

  private final NoteCells cells = LAYOUT.notes().orElseThrow();

  private static String json(String tsuid, long start) {
    return "{\"tsuid\":\"%s\",\"startTime\":%d}".formatted(tsuid, start);
  }

  @Property(tries = 200)
  void areWhereTheLayoutWritesThem(
      @ForAll @LongRange(min = 1, max = 4_294_000_000_000L) long start, @ForAll boolean global) {
    try (TsdbTables tables = new TsdbTables(LAYOUT)) {
      GroupKey key = global ? NONE : KEY;
      Bytes tsuid = ((UidBinding) tables.bind(LAYOUT, key)).tsuid();
      Bytes owner = global ? Bytes.EMPTY : tsuid;
      long millis = start > 0xffff_ffffL ? start : 1000 * start;
      tables.write(
          LAYOUT,
          new Attribute(
              key, "annotation", millis, new Value.Text(json(global ? "" : tsuid.hex(), start))));
      CellBatch written = tables.cells(OpenTsdbLayout.DATA);
      NoteCells.Place place = cells.place(owner, start);
      assertThat(place.row()).isEqualTo(written.row(0));
      assertThat(place.qualifier()).isEqualTo(written.qualifier(0));
      assertThat(cells.isOf(owner, written, 0)).isTrue();
      assertThat(cells.isOf(global ? tsuid.concat(tsuid) : Bytes.EMPTY, written, 0)).isFalse();
      assertThat(cells.between(owner, millis, millis + 1).slices())
          .anySatisfy(slice ->
              assertThat(place.row())
                  .isGreaterThanOrEqualTo(slice.fromRow())
                  .isLessThan(slice.toRow()));
    }
  }

  @Test
  void knowsOwnersByTheirLength() {
    assertThat(cells.mayOwn(Bytes.EMPTY)).isTrue();
    assertThat(cells.mayOwn(Bytes.fromHex("00000001000001000001"))).isTrue();
    assertThat(cells.mayOwn(Bytes.fromHex("00000001"))).isFalse();
    assertThat(cells.mayOwn(Bytes.fromHex("000000010000010000"))).isFalse();
  }

  @Test
  void refusesTimesThatTheTableDoesNotHold() {
    assertThatThrownBy(() -> cells.place(Bytes.EMPTY, 10_000_000_000_000L))
        .isInstanceOf(RefusedException.class);
  }
}
