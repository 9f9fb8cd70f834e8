package dev.varve.store.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/**
 * The sections of a slice together cover exactly the slice, each place once, in the order of the
 * plan.
 */
class SliceSectionTest {
  private static final List<Bytes> KEYS = keys();

  /** Returns all strings of up to three of the bytes 00, 61 and ff. */
  private static List<Bytes> keys() {
    List<Bytes> keys = new ArrayList<>(List.of(Bytes.EMPTY));
    for (int i = 0; i < keys.size(); i++) {
      if (keys.get(i).length() < 3) {
        for (String next : List.of("00", "61", "ff")) {
          keys.add(keys.get(i).concat(Bytes.fromHex(next)));
        }
      }
    }
    return keys.stream().sorted().toList();
  }

  private record Place(Bytes row, Bytes qualifier) {}

  @Property
  void sectionsHoldWhatTheirSliceHolds(@ForAll("slices") Slice slice, @ForAll Direction direction) {
    ReadPlan plan = plan(slice, direction);
    assertThat(places(SliceSection.of(plan, 0), direction)).isEqualTo(places(slice, direction));
  }

  @Property
  void sectionsFromATokenHoldItsRowAndTheRest(
      @ForAll("slices") Slice slice, @ForAll Direction direction, @ForAll("keys") Bytes row) {
    ReadPlan plan = plan(slice, direction);
    List<Place> all = places(slice, direction);
    List<Place> ofRow = all.stream().filter(place -> place.row().equals(row)).toList();
    if (ofRow.isEmpty()) {
      return;
    }
    Place last = ofRow.get(ofRow.size() / 2);
    ResumeToken token = new ResumeToken(0, last.row(), 0, last.qualifier(), 7, 1, 1, 1, 1);
    List<SliceSection> left = SliceSection.from(plan, token);
    assertThat(left.getFirst().isOneRow()).isTrue();
    assertThat(places(left, direction))
        .isEqualTo(all.subList(all.indexOf(ofRow.getFirst()), all.size()));
  }

  @Property
  void clippedRangesHoldWhatBothHold(
      @ForAll("ranges") List<QualifierRange> ranges,
      @ForAll("keys") Bytes from,
      @ForAll("keys") Bytes to,
      @ForAll boolean open) {
    List<QualifierRange> clipped = QualifierRange.clip(ranges, from, open ? null : to);
    for (Bytes key : KEYS) {
      boolean inRanges =
          ranges.isEmpty()
              || ranges.stream().anyMatch(range -> holds(range.from(), range.to(), key));
      assertThat(clipped.stream().filter(range -> holds(range.from(), range.to(), key)).count())
          .as("%s in %s", key, clipped)
          .isEqualTo(inRanges && holds(from, open ? null : to, key) ? 1 : 0);
    }
  }

  private static boolean holds(Bytes from, @Nullable Bytes to, Bytes key) {
    return key.compareTo(from) >= 0 && (to == null || key.compareTo(to) < 0);
  }

  private static ReadPlan plan(Slice slice, Direction direction) {
    return ReadPlan.of(List.of(slice), List.of(FamilySelect.latest(0))).with(direction);
  }

  private static List<Place> places(Slice slice, Direction direction) {
    List<Place> places = new ArrayList<>();
    for (Bytes row : rows(direction)) {
      for (Bytes qualifier : KEYS) {
        Bytes to = slice.toRow();
        if (row.startsWith(slice.partition())
            && compare(row, qualifier, slice.fromRow(), slice.fromQualifier()) >= 0
            && (to == null || compare(row, qualifier, to, slice.toQualifier()) < 0)) {
          places.add(new Place(row, qualifier));
        }
      }
    }
    return places;
  }

  private static int compare(Bytes row, Bytes qualifier, Bytes otherRow, Bytes otherQualifier) {
    int order = row.compareTo(otherRow);
    return order == 0 ? qualifier.compareTo(otherQualifier) : order;
  }

  private static List<Bytes> rows(Direction direction) {
    List<Bytes> rows = KEYS.subList(1, KEYS.size());
    return direction == Direction.FORWARD ? rows : rows.reversed();
  }

  private static List<Place> places(List<SliceSection> sections, Direction direction) {
    List<Place> places = new ArrayList<>();
    for (SliceSection section : sections) {
      for (Bytes row : rows(direction)) {
        for (Bytes qualifier : KEYS) {
          if (holds(section.fromRow(), section.endRow(), row)
              && holds(section.fromQualifier(), section.toQualifier(), qualifier)) {
            assertThat(section.isOneRow()).isEqualTo(isOneRow(section));
            places.add(new Place(row, qualifier));
          }
        }
      }
    }
    return places;
  }

  private static boolean isOneRow(SliceSection section) {
    return section.fromRow().successor().equals(section.endRow());
  }

  @Provide("keys")
  Arbitrary<Bytes> anyKey() {
    return Arbitraries.of(KEYS);
  }

  @Provide
  Arbitrary<List<QualifierRange>> ranges() {
    return anyKey()
        .set()
        .ofMaxSize(6)
        .map(bounds -> {
          List<Bytes> sorted = bounds.stream().sorted().toList();
          List<QualifierRange> ranges = new ArrayList<>();
          for (int i = 0; i < sorted.size(); i += 2) {
            ranges.add(
                new QualifierRange(
                    sorted.get(i), i + 1 < sorted.size() ? sorted.get(i + 1) : null));
          }
          return ranges;
        });
  }

  @Provide
  Arbitrary<Slice> slices() {
    Arbitrary<Bytes> rows = Arbitraries.of(KEYS.subList(1, KEYS.size()));
    return Combinators.combine(
            rows, anyKey(), rows.injectNull(0.2), anyKey(), Arbitraries.integers().between(0, 3))
        .as((from, fromQualifier, to, toQualifier, length) ->
            new Slice(
                from.slice(0, Math.min(length, from.length())),
                from,
                fromQualifier,
                to,
                to == null ? Bytes.EMPTY : toQualifier));
  }
}
