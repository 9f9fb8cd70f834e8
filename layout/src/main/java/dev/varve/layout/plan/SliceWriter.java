package dev.varve.layout.plan;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds the slices of a {@link Way}. */
final class SliceWriter {
  private final Survey survey;
  private final RowShape shape;
  private final Pinning pinning;
  private final Edges edges;
  private final boolean edgesInSlices;
  private final Direction direction;
  private final Set<Bytes> partitions = new HashSet<>();
  private long slices;

  /** The pinned bytes of a key, and the leading part of them that is the partition. */
  private record Prefix(Bytes bytes, Bytes partition) {}

  SliceWriter(Survey survey, int pinned) {
    this.survey = survey;
    this.shape = survey.shape;
    this.pinning = Pinning.of(survey, pinned);
    this.edges = Edges.of(survey, pinned);
    this.edgesInSlices = Edges.usedBySlices(survey, pinned);
    this.direction = direction(shape, pinned, survey.newestFirst > 0);
  }

  /**
   * Returns the direction in which rows after the pinned parts have ascending times, or descending
   * times if the newest come first.
   */
  static Direction direction(RowShape shape, int pinned, boolean newestFirst) {
    for (KeyPart part : shape.parts().subList(pinned, shape.parts().size())) {
      if (part instanceof KeyPart.Time time) {
        return time.descending() == newestFirst ? Direction.FORWARD : Direction.REVERSE;
      }
    }
    return Direction.FORWARD;
  }

  /**
   * Returns small pages if a few samples suffice. Rows and cells are not limited: deletes and other
   * fields are dropped after reading, so the reader must be able to continue.
   */
  static Limits limits(int newestFirst) {
    return newestFirst == 0
        ? Limits.NONE
        : Limits.NONE.withPageCells(Math.clamp(newestFirst, 16, Limits.DEFAULT_PAGE_CELLS));
  }

  List<Plan.StrandGroup> groups() {
    List<FamilySelect> families = families();
    boolean filtered =
        shape.parts().subList(pinning.count(), shape.parts().size()).stream()
            .anyMatch(part -> part.role().ofKey());
    List<Plan.StrandGroup> groups = new ArrayList<>();
    for (List<Integer> members : survey.groups(pinning.count()).members()) {
      List<Plan.Strand> strands = new ArrayList<>(pinning.fanOut());
      for (int salts = 0; salts < pinning.fanOut(); salts++) {
        ReadPlan read =
            ReadPlan.of(joined(slices(members, salts)), families)
                .with(direction)
                .with(limits(survey.newestFirst));
        slices += read.slices().size();
        strands.add(
            new Plan.Strand(survey.layout.dataTable(), read, filtered, survey.scope.times()));
      }
      groups.add(new Plan.StrandGroup(members, strands));
    }
    return groups;
  }

  /** Returns the number of slices built. */
  long sliceCount() {
    return slices;
  }

  /** Returns the number of partitions that contain the slices. */
  long partitionCount() {
    return partitions.size();
  }

  private List<FamilySelect> families() {
    List<FamilySelect> families = survey.layout.select(survey.scope);
    boolean narrows = edges.from() != null || edges.to() != null;
    if (edgesInSlices || !narrows) {
      return families;
    }
    QualifierRange range =
        new QualifierRange(edges.from() == null ? Bytes.EMPTY : edges.from(), edges.to());
    return families.stream()
        .map(select ->
            select.qualifiers().isEmpty()
                ? new FamilySelect(
                    select.family(), List.of(range), select.times(), select.versions())
                : select)
        .toList();
  }

  /** Returns the slices of one group for one combination of salts, in reading order. */
  private List<Slice> slices(List<Integer> members, int salts) {
    List<Slice> written = new ArrayList<>();
    long[] buckets = pinning.buckets();
    for (int i = 0; i < buckets.length; i++) {
      long bucket = buckets[survey.newestFirst > 0 ? buckets.length - 1 - i : i];
      for (Kind kind : pinning.kinds()) {
        for (String field : pinning.fields()) {
          for (Prefix prefix : prefixes(members, salts, bucket, kind, field)) {
            partitions.add(prefix.partition());
            write(prefix, bucket, input(members.getFirst(), bucket, kind, field), written);
          }
        }
      }
    }
    return written;
  }

  /** Returns one prefix, or several if the members of a group differ in the salt of the bucket. */
  private Set<Prefix> prefixes(
      List<Integer> members, int salts, long bucket, Kind kind, String field) {
    Set<Prefix> prefixes = new LinkedHashSet<>();
    for (int member : members) {
      prefixes.add(prefix(input(member, bucket, kind, field), salts));
      if (!pinning.saltOfBucket()) {
        break;
      }
    }
    return prefixes;
  }

  private KeyInput input(int member, long bucket, Kind kind, String field) {
    return new KeyInput(survey.bindings.get(member)).time(bucket).kind(kind).field(field);
  }

  private Prefix prefix(KeyInput input, int salts) {
    KeyBytes out = new KeyBytes();
    int partition = 0;
    int combination = salts;
    for (int i = 0; i < pinning.count(); i++) {
      KeyPart part = shape.parts().get(i);
      if (part instanceof KeyPart.Salt salt && Pinning.fansOut(shape, pinning.count(), salt)) {
        salt.encodeBucket(combination % salt.buckets(), out);
        combination /= salt.buckets();
      } else {
        part.encode(input, out);
      }
      if (i < shape.partitionParts()) {
        partition = out.length();
      }
    }
    Bytes bytes = out.toBytes();
    return new Prefix(bytes, bytes.slice(0, partition));
  }

  private void write(Prefix prefix, long bucket, KeyInput input, List<Slice> into) {
    if (pinning.count() == shape.parts().size()) {
      into.add(exactRow(prefix, bucket));
    } else if (shape.parts().get(pinning.count()) instanceof KeyPart.Time) {
      writeRange(prefix, bucket, input, into);
    } else {
      into.add(Slice.rows(prefix.partition(), prefix.bytes(), prefix.bytes().prefixEnd()));
    }
  }

  private Slice exactRow(Prefix prefix, long bucket) {
    Bytes from = edges.from() != null && bucket == edges.first() ? edges.from() : Bytes.EMPTY;
    Bytes to = edges.to() != null && bucket == edges.last() ? edges.to() : null;
    return Slice.row(prefix.partition(), prefix.bytes(), from, to);
  }

  private void writeRange(Prefix prefix, long bucket, KeyInput input, List<Slice> into) {
    KeyPart.Time outer = pinning.bucketPart();
    KeyPart.Time time = (KeyPart.Time) shape.parts().get(pinning.count());
    long from = survey.times.from();
    long to = survey.times.to();
    boolean startsInside = survey.boundedBelow && (outer == null || bucket < from);
    boolean endsInside = survey.boundedAbove && (outer == null || to < outer.next(bucket));
    Bytes oldest = startsInside ? key(prefix, input, time.lowestFrom(from), from) : null;
    Bytes newest = endsInside ? key(prefix, input, to - 1, to - 1) : null;
    Bytes fromEdge = edgesInSlices && startsInside ? edges.from() : null;
    Bytes toEdge = edgesInSlices && endsInside ? edges.to() : null;
    if (time.descending()) {
      writeFalling(prefix, oldest, fromEdge, newest, toEdge, into);
    } else {
      into.add(rising(prefix, oldest, fromEdge, newest, toEdge));
    }
  }

  /**
   * Returns the prefix extended by the adjacent time parts after it.
   *
   * @param lowest the time to encode if the first time part does not round down; otherwise in the
   *     same bucket as {@code time}
   */
  private Bytes key(Prefix prefix, KeyInput input, long lowest, long time) {
    KeyBytes out = new KeyBytes().raw(prefix.bytes());
    KeyPart.Time first = (KeyPart.Time) shape.parts().get(pinning.count());
    if (lowest < first.floor(time)) {
      first.encode(input.time(lowest), out);
      return out.toBytes();
    }
    int end = pinning.count();
    while (end < shape.parts().size() && shape.parts().get(end) instanceof KeyPart.Time) {
      end++;
    }
    shape.encode(input.time(time), pinning.count(), end, out);
    return out.toBytes();
  }

  /**
   * Returns one slice from the first sample in the oldest row to the last sample in the newest row.
   */
  private static Slice rising(
      Prefix prefix,
      @Nullable Bytes oldest,
      @Nullable Bytes fromEdge,
      @Nullable Bytes newest,
      @Nullable Bytes toEdge) {
    Bytes end = (newest == null ? prefix.bytes() : newest).prefixEnd();
    return new Slice(
        prefix.partition(),
        oldest == null ? prefix.bytes() : oldest,
        fromEdge == null ? Bytes.EMPTY : fromEdge,
        toEdge == null ? end : newest,
        toEdge == null ? Bytes.EMPTY : toEdge);
  }

  /**
   * Adds the slices of a range whose newest row comes first. Qualifiers still ascend within a row,
   * so a row that is read in part needs a slice of its own.
   */
  private void writeFalling(
      Prefix prefix,
      @Nullable Bytes oldest,
      @Nullable Bytes fromEdge,
      @Nullable Bytes newest,
      @Nullable Bytes toEdge,
      List<Slice> into) {
    Bytes partition = prefix.partition();
    if (oldest != null && oldest.equals(newest) && (fromEdge != null || toEdge != null)) {
      into.add(Slice.row(partition, oldest, fromEdge == null ? Bytes.EMPTY : fromEdge, toEdge));
      return;
    }
    List<Slice> pieces = new ArrayList<>(3);
    Bytes start = newest == null ? prefix.bytes() : newest;
    if (newest != null && toEdge != null) {
      pieces.add(Slice.row(partition, newest, Bytes.EMPTY, toEdge));
      start = newest.successor();
    }
    if (oldest != null && fromEdge != null) {
      pieces.add(Slice.rows(partition, start, oldest));
      pieces.add(Slice.row(partition, oldest, fromEdge, null));
    } else {
      pieces.add(
          Slice.rows(partition, start, (oldest == null ? prefix.bytes() : oldest).prefixEnd()));
    }
    into.addAll(direction == Direction.FORWARD ? pieces : pieces.reversed());
  }

  /** Joins adjacent slices. */
  private List<Slice> joined(List<Slice> apart) {
    List<Slice> joined = new ArrayList<>(apart.size());
    for (Slice slice : apart) {
      Slice both = joined.isEmpty() ? null : union(joined.getLast(), slice);
      if (both == null) {
        joined.add(slice);
      } else {
        joined.set(joined.size() - 1, both);
      }
    }
    return joined;
  }

  private @Nullable Slice union(Slice earlier, Slice later) {
    Slice low = direction == Direction.FORWARD ? earlier : later;
    Slice high = direction == Direction.FORWARD ? later : earlier;
    boolean touching =
        low.partition().equals(high.partition())
            && high.fromRow().equals(low.toRow())
            && low.toQualifier().isEmpty()
            && high.fromQualifier().isEmpty();
    return touching
        ? new Slice(
            low.partition(), low.fromRow(), low.fromQualifier(), high.toRow(), high.toQualifier())
        : null;
  }
}
