package dev.varve.engine.read;

import dev.varve.engine.CorruptDataException;
import dev.varve.engine.ReadRequest;
import dev.varve.engine.ReadRequest.Kinds;
import dev.varve.engine.ReadRequest.Latest;
import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.delete.HiddenSamples;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.BlockReader;
import dev.varve.layout.block.SampleColumn;
import dev.varve.layout.block.SharedTimes;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads series from blocks and heads, one series after the other. Blocks of several series are read
 * with one plan, since a cursor costs more than the block that it finds, and are held encoded until
 * their series' turn.
 */
final class BlockSource implements RunSource {
  /** Maximum number of series whose blocks are read together. */
  private static final int SERIES_MAX = 256;

  /** Maximum number of rows that are read together. */
  private static final int ROWS_MAX = 2048;

  /** Series that lie between two wanted ones are read and dropped up to this number. */
  private static final int GAP_MAX = 4;

  /** Wanted series whose numbers are further apart are never read together. */
  private static final int NUMBERS_MAX = 4096;

  /** Leaders that lie between two wanted ones are read and dropped up to this number. */
  private static final int LEADER_GAP_MAX = 256;

  /** How often blocks are read until all times that they share are there. */
  private static final int ATTEMPTS = 5;

  /** Bytes of a sample while its series is decoded, put in order and delivered. */
  private static final int DECODED_BYTES = 52;

  /** Maximum number of samples of a run. */
  private static final int RUN_MAX = 8192;

  private final Reading reading;
  private final PlannedBlocks planned;
  private final BlockTiers.View view;
  private final SeriesNumbers numbers;
  private final Resolution resolution;
  private final List<Long> buckets;
  private final BlockReader reader = new BlockReader();
  private final SampleColumn column = new SampleColumn();
  private final SampleColumn spare = new SampleColumn();
  private final Deque<Wanted> loaded = new ArrayDeque<>();
  private final Deque<Run> ready = new ArrayDeque<>();

  /** The samples of runs of numbers that are delivered one by one, by kind. */
  private final Map<Kind, Samples> reused = new EnumMap<>(Kind.class);

  /** The series whose samples are in the column and not delivered yet; null if there is none. */
  private @Nullable Wanted open;

  /** Index of the next sample of the open series. */
  private int openAt;

  private int nextMatch;
  private int nextField;

  /** Whether the latest sample of each series suffices. */
  private final boolean latestSuffices;

  /** Whether blocks of all times from the first one on are read, so that the latest is found. */
  private final boolean readsToTheEnd;

  /** Bytes of the encoded blocks that are held. */
  private long held;

  /** Bytes of decoded samples that are held. */
  private long heldDecoded;

  /** A series to deliver, with its encoded blocks. */
  private static final class Wanted {
    private final int match;
    private final Series series;
    private final int number;
    private final int metric;

    /** Whether the latest sample, or that there is none, is known without blocks. */
    private boolean hasLatest;

    private long latestTime;

    /** The kind of the latest sample; null if there is none. */
    private @Nullable Kind latestKind;

    private long latestValue;

    /** The last time of all blocks, whether or not they are in the range. */
    private long lastInBlocks = Long.MIN_VALUE;

    private final List<Block> blocks = new ArrayList<>(1);

    private Wanted(int match, Series series, int number, int metric) {
      this.match = match;
      this.series = series;
      this.number = number;
      this.metric = metric;
    }
  }

  /** An encoded block. */
  private record Block(BlockHead head, long start, long generation, byte[] body) {}

  /** The times that the loaded blocks share. */
  private final Map<SharedTimes, long[]> times = new HashMap<>();

  BlockSource(Reading reading, PlannedBlocks planned) {
    this.reading = reading;
    this.planned = planned;
    this.numbers = planned.tiers().numbers();
    this.resolution = planned.tiers().resolution();
    // The view comes first: what leaves a head later is in blocks by then.
    this.view = planned.tiers().view();
    this.buckets = view.buckets(planned.times());
    ReadRequest request = reading.request();
    this.latestSuffices =
        request.kinds() == Kinds.ONE && (request.latest() != null || request.newestFirst() == 1);
    TimeRange on = new TimeRange(planned.times().from(), Long.MAX_VALUE);
    this.readsToTheEnd = latestSuffices && view.buckets(on).equals(buckets);
  }

  @Override
  public @Nullable Attribute nextAttribute() {
    return null;
  }

  @Override
  public @Nullable Run next() {
    while (ready.isEmpty()) {
      if (open != null) {
        return stretch(open);
      }
      Wanted wanted = loaded.poll();
      if (wanted != null) {
        deliver(wanted);
      } else if (!load()) {
        release();
        reading.guard().released(heldDecoded);
        heldDecoded = 0;
        return null;
      }
    }
    return ready.poll();
  }

  /**
   * Reads the blocks of the next series.
   *
   * @return false if no series is left
   */
  private boolean load() {
    release();
    int most = Math.clamp(ROWS_MAX / Math.max(1, buckets.size()), 1, SERIES_MAX);
    List<Wanted> next = new ArrayList<>();
    while (next.size() < most && nextMatch < planned.matches().size()) {
      int match = planned.matches().get(nextMatch);
      Match of = reading.matches().get(match);
      List<String> fields = of.fields();
      if (nextField == fields.size()) {
        nextField = 0;
        nextMatch++;
        continue;
      }
      String field = fields.get(nextField++);
      int number = reading.wantsField(field) ? numbers.find(of.series(), field) : -1;
      if (number >= 0) {
        next.add(new Wanted(match, of.key().field(field), number, numbers.metric(number)));
      }
    }
    if (next.isEmpty()) {
      return false;
    }
    List<Wanted> inBlocks = next;
    if (latestSuffices) {
      next.forEach(this::readLatest);
      inBlocks = next.stream().filter(one -> !one.hasLatest).toList();
    }
    if (!buckets.isEmpty() && !inBlocks.isEmpty()) {
      loadBlocks(inBlocks);
    }
    loaded.addAll(next);
    return true;
  }

  /** Reads the latest sample of a series, if that takes no block. */
  private void readLatest(Wanted wanted) {
    column.clear();
    if (hidden(wanted) != null || !view.readLatest(wanted.number, planned.times(), column)) {
      return;
    }
    column.settle(spare);
    int last = column.size() - 1;
    if (last < 0) {
      wanted.hasLatest = true;
    } else if (!isExcepted() && column.kind(last) != Kind.STRING) {
      wanted.hasLatest = true;
      wanted.latestTime = column.time(last);
      wanted.latestKind = column.kind(last);
      wanted.latestValue = column.value(last);
    }
  }

  private @Nullable HiddenSamples hidden(Wanted wanted) {
    return reading
        .deletes()
        .of(reading.matches().get(wanted.match).series(), wanted.series.field());
  }

  /**
   * Reads blocks, then the times that they share. A merge may replace both in between, so that
   * times are missing; the merged blocks are there then.
   */
  private void loadBlocks(List<Wanted> wanted) {
    for (int attempt = 1; ; attempt++) {
      readBlocks(wanted);
      SharedTimes missing = readTimes(wanted);
      if (missing == null) {
        return;
      }
      if (attempt == ATTEMPTS) {
        throw new CorruptDataException(
            "table '%s', row %s, qualifier %s: the times that blocks share are missing"
                .formatted(
                    view.table().spec().name(),
                    missing.row(BlockKey.bucket(missing.start(), resolution)),
                    missing.qualifier()));
      }
      release();
      wanted.forEach(one -> one.blocks.clear());
    }
  }

  /** Reads the times that blocks share. Returns a column that is missing; null if none is. */
  private @Nullable SharedTimes readTimes(List<Wanted> wanted) {
    SortedMap<Bytes, Integer> rows = new TreeMap<>();
    Set<SharedTimes> needed = new HashSet<>();
    for (Wanted one : wanted) {
      for (Block block : one.blocks) {
        SharedTimes shared = block.head().shared();
        if (shared != null && needed.add(shared)) {
          rows.put(shared.row(BlockKey.bucket(shared.start(), resolution)), shared.leader());
        }
      }
    }
    if (needed.isEmpty()) {
      return null;
    }
    FamilySelect family = new FamilySelect(BlockLayout.TIMES, List.of(starts()), TimeRange.ALL, 1);
    CellCursor cursor = reading.open(view.table(), ReadPlan.of(slicesOf(rows), List.of(family)));
    try {
      CellBatch page = new CellBatch();
      while (reading.pull(cursor, page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          takeTimes(page, cell, needed);
        }
      }
    } finally {
      reading.close(cursor);
    }
    return needed.isEmpty() ? null : needed.iterator().next();
  }

  /** Returns slices of rows of times; rows of neighbouring leaders are read as one. */
  private static List<Slice> slicesOf(SortedMap<Bytes, Integer> rows) {
    List<Slice> slices = new ArrayList<>();
    @Nullable Bytes first = null;
    @Nullable Bytes last = null;
    int leader = 0;
    for (Map.Entry<Bytes, Integer> row : rows.entrySet()) {
      int after = row.getValue() - leader;
      if (first != null && last != null && (after < 0 || after > LEADER_GAP_MAX)) {
        slices.add(Slice.rows(Bytes.EMPTY, first, last.successor()));
        first = null;
      }
      first = first == null ? row.getKey() : first;
      last = row.getKey();
      leader = row.getValue();
    }
    if (first != null && last != null) {
      slices.add(Slice.rows(Bytes.EMPTY, first, last.successor()));
    }
    return slices;
  }

  private void takeTimes(CellBatch page, int cell, Set<SharedTimes> needed) {
    SharedTimes column =
        SharedTimes.of(page.bytes(), page.rowOffset(cell), page.qualifierOffset(cell));
    if (!needed.remove(column)) {
      return;
    }
    try {
      long[] decoded =
          SharedTimes.decode(page.bytes(), page.valueOffset(cell), page.valueLength(cell));
      hold((long) Long.BYTES * decoded.length);
      times.put(column, decoded);
    } catch (DamagedCellException e) {
      throw damaged(page, cell, e);
    }
  }

  /** Returns the qualifiers of everything that starts before the end of the read. */
  private QualifierRange starts() {
    return readsToTheEnd
        ? new QualifierRange(Bytes.EMPTY, null)
        : new QualifierRange(Bytes.EMPTY, BlockKey.qualifierFrom(planned.times().to()));
  }

  private CorruptDataException damaged(CellBatch page, int cell, DamagedCellException e) {
    return new CorruptDataException(
        "table '%s', row %s, qualifier %s: %s"
            .formatted(
                view.table().spec().name(), page.row(cell), page.qualifier(cell), e.getMessage()));
  }

  private void readBlocks(List<Wanted> wanted) {
    Wanted[] inOrder = wanted.toArray(Wanted[]::new);
    Arrays.sort(
        inOrder,
        Comparator.comparingInt((Wanted one) -> one.metric).thenComparingInt(one -> one.number));
    QualifierRange range = starts();
    List<FamilySelect> families =
        List.of(
            new FamilySelect(BlockLayout.HEADS, List.of(range), TimeRange.ALL, 1),
            new FamilySelect(BlockLayout.BODIES, List.of(range), TimeRange.ALL, 1));
    Wanted[] byNumber = inOrder.clone();
    Arrays.sort(byNumber, Comparator.comparingInt(one -> one.number));
    int[] sorted = Arrays.stream(byNumber).mapToInt(one -> one.number).toArray();
    CellCursor cursor = reading.open(view.table(), ReadPlan.of(slicesOf(inOrder), families));
    try {
      CellBatch page = new CellBatch();
      while (reading.pull(cursor, page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          int at = Arrays.binarySearch(sorted, BlockKey.series(page.bytes(), page.rowOffset(cell)));
          if (at >= 0) {
            take(byNumber[at], page, cell);
          }
        }
      }
    } finally {
      reading.close(cursor);
    }
  }

  /** Returns slices that cover the rows of all wanted series in all buckets. */
  private List<Slice> slicesOf(Wanted[] inOrder) {
    List<Slice> slices = new ArrayList<>();
    List<Integer> ends = new ArrayList<>();
    for (int i = 1; i <= inOrder.length; i++) {
      if (i == inOrder.length || !areNear(inOrder[i - 1], inOrder[i])) {
        ends.add(i);
      }
    }
    for (long bucket : buckets) {
      int from = 0;
      for (int end : ends) {
        Wanted first = inOrder[from];
        Wanted last = inOrder[end - 1];
        slices.add(
            Slice.rows(
                Bytes.EMPTY,
                BlockKey.row(bucket, first.metric, first.number),
                BlockKey.row(bucket, last.metric, last.number).successor()));
        from = end;
      }
    }
    return slices;
  }

  /** Returns whether reading what lies between the rows of two series is less work than a seek. */
  private boolean areNear(Wanted one, Wanted next) {
    return one.metric == next.metric
        && next.number - one.number <= NUMBERS_MAX
        && numbers.countBetween(one.metric, one.number, next.number, GAP_MAX + 1) <= GAP_MAX;
  }

  /** Takes a cell of a wanted series: the head of a block, or its body, which comes later. */
  private void take(Wanted wanted, CellBatch page, int cell) {
    long start = BlockKey.start(page.bytes(), page.qualifierOffset(cell));
    long generation = BlockKey.generation(page.bytes(), page.qualifierOffset(cell));
    if (page.family(cell) == BlockLayout.HEADS) {
      BlockHead head = head(page, cell);
      wanted.lastInBlocks = Math.max(wanted.lastInBlocks, head.last());
      if (head.overlaps(planned.times())) {
        wanted.blocks.add(new Block(head, start, generation, new byte[0]));
      }
      return;
    }
    for (int i = 0; i < wanted.blocks.size(); i++) {
      Block head = wanted.blocks.get(i);
      if (head.start() == start && head.generation() == generation) {
        int length = page.valueLength(cell);
        hold(length);
        byte[] body =
            Arrays.copyOfRange(
                page.bytes(), page.valueOffset(cell), page.valueOffset(cell) + length);
        wanted.blocks.set(i, new Block(head.head(), start, generation, body));
      }
    }
  }

  private void hold(long bytes) {
    reading.guard().held(bytes, "blocks of samples");
    held += bytes;
  }

  /** Holds memory for the decoded samples of a series, which is reused for the next ones. */
  private void holdDecoded(Wanted wanted) {
    long samples = 0;
    for (Block block : wanted.blocks) {
      samples += block.head().count();
    }
    long more = samples * DECODED_BYTES - heldDecoded;
    if (more > 0) {
      reading.guard().held(more, "decoded samples of a series");
      heldDecoded += more;
    }
  }

  private void release() {
    times.clear();
    if (held > 0) {
      reading.guard().released(held);
      held = 0;
    }
  }

  private BlockHead head(CellBatch page, int cell) {
    try {
      return BlockHead.read(page.bytes(), page.valueOffset(cell), page.valueLength(cell));
    } catch (DamagedCellException e) {
      throw damaged(page, cell, e);
    }
  }

  /** Decodes a block without the samples that deletes hide. */
  private void decode(Wanted wanted, Block block, TimeRange range, @Nullable HiddenSamples hidden) {
    if (hidden == null
        || !hidden.overlaps(block.head().first(), block.head().last(), block.generation())) {
      decode(wanted, block, range, column);
      return;
    }
    spare.clear();
    decode(wanted, block, range, spare);
    for (int i = 0; i < spare.size(); i++) {
      if (!hidden.contains(spare.time(i), block.generation())) {
        column.addFrom(spare, i);
      }
    }
  }

  private void decode(Wanted wanted, Block block, TimeRange range, SampleColumn into) {
    byte[] body = block.body();
    SharedTimes shared = block.head().shared();
    long[] ofTimes = shared == null ? null : times.get(shared);
    try {
      reader.decode(block.head(), ofTimes, body, 0, body.length, range, into);
    } catch (DamagedCellException e) {
      throw new CorruptDataException(
          "table '%s', a block of %s from %d to %d: %s"
              .formatted(
                  view.table().spec().name(),
                  wanted.series,
                  block.head().first(),
                  block.head().last(),
                  e.getMessage()));
    }
  }

  /** Decodes the samples of a series and makes them runs. */
  private void deliver(Wanted wanted) {
    reading.ensureWanted();
    column.clear();
    if (wanted.hasLatest) {
      if (wanted.latestKind != null) {
        column.add(wanted.latestTime, wanted.latestKind, wanted.latestValue);
      }
      deliverColumn(wanted);
      return;
    }
    holdDecoded(wanted);
    wanted.blocks.sort(Comparator.comparingLong(Block::generation).thenComparingLong(Block::start));
    HiddenSamples hidden = hidden(wanted);
    TimeRange range = hidden == null ? rangeToDecode(wanted) : planned.times();
    decode(wanted, range, hidden);
    if (!range.equals(planned.times()) && isExcepted()) {
      column.clear();
      decode(wanted, planned.times(), hidden);
    }
    deliverColumn(wanted);
  }

  private void deliverColumn(Wanted wanted) {
    if (reading.request().kinds() == Kinds.ONE && !reading.newest().isAsked()) {
      open = column.isEmpty() ? null : wanted;
      openAt = 0;
    } else if (reading.request().kinds() == Kinds.EACH) {
      for (Kind kind : Kind.values()) {
        runsOf(wanted, kind);
      }
    } else {
      runsOf(wanted, null);
    }
  }

  /** Decodes the samples of a series in a range, in order of time, each once. */
  private void decode(Wanted wanted, TimeRange range, @Nullable HiddenSamples hidden) {
    for (Block block : wanted.blocks) {
      if (block.head().overlaps(range)) {
        decode(wanted, block, range, hidden);
      }
    }
    if (readsToTheEnd && hidden == null) {
      learnLatest(wanted);
    }
    view.read(wanted.number, range, column);
    column.settle(spare);
  }

  /** Takes note of the latest sample of blocks, which the column has so far. */
  private void learnLatest(Wanted wanted) {
    column.settle(spare);
    int last = column.size() - 1;
    if (last >= 0 && column.time(last) == wanted.lastInBlocks && column.kind(last) != Kind.STRING) {
      view.learnLatest(wanted.number, column.time(last), column.kind(last), column.value(last));
    } else if (wanted.lastInBlocks < planned.times().from()) {
      view.learnLatest(wanted.number, planned.times().from() - 1, null, 0);
    }
  }

  /** Returns whether the latest sample is one that does not count. */
  private boolean isExcepted() {
    Latest latest = reading.request().latest();
    int last = column.size() - 1;
    if (latest == null || last < 0) {
      return false;
    }
    return switch (column.kind(last)) {
      case INT64 -> false;
      case DOUBLE -> latest.except() != null && column.value(last) == latest.except();
      case STRING -> true;
    };
  }

  /**
   * Returns the range of times that has what is wanted of a series. Where one sample suffices, that
   * is the end of the requested range from a time on at which a block has a sample for certain.
   */
  private TimeRange rangeToDecode(Wanted wanted) {
    TimeRange range = planned.times();
    if (!latestSuffices) {
      return range;
    }
    long from = range.from();
    for (Block block : wanted.blocks) {
      BlockHead head = block.head();
      from = Math.max(from, head.last() < range.to() ? head.last() : head.first());
    }
    return new TimeRange(from, range.to());
  }

  /** Makes a run of the next samples of one kind. */
  private Run stretch(Wanted wanted) {
    int from = openAt;
    int to = column.stretch(from);
    openAt = to;
    open = to < column.size() ? wanted : null;
    Kind kind = column.kind(from);
    Samples samples = reused.computeIfAbsent(kind, Samples::new);
    if (kind == Kind.STRING) {
      samples.clear();
      for (int i = from; i < to; i++) {
        add(i, samples);
      }
    } else {
      samples.set(column.times(), column.values(), from, to);
    }
    return new Run(wanted.series, samples, planned.period().index(), null);
  }

  /**
   * Makes runs of the samples of a kind, or of all.
   *
   * @param kind null for all kinds together
   */
  private void runsOf(Wanted wanted, @Nullable Kind kind) {
    int first = 0;
    if (reading.newest().isAsked()) {
      first = firstOfNewest(wanted, kind);
    }
    List<Run> runs = new ArrayList<>();
    @Nullable Samples open = null;
    for (int i = first; i < column.size(); i++) {
      Kind is = column.kind(i);
      if (kind != null && is != kind) {
        continue;
      }
      if (open == null || open.kind() != is || open.size() == RUN_MAX) {
        open = new Samples(is);
        runs.add(new Run(wanted.series, open, planned.period().index(), null));
      }
      add(i, open);
    }
    ready.addAll(reading.newest().isAsked() ? runs.reversed() : runs);
  }

  private void add(int index, Samples into) {
    long time = column.time(index);
    switch (into.kind()) {
      case INT64 -> into.add(time, column.value(index), 0);
      case DOUBLE -> into.add(time, Double.longBitsToDouble(column.value(index)), 0);
      case STRING -> {
        byte[] text = column.textAt(index);
        into.add(time, text, 0, text.length, 0);
      }
    }
  }

  /** Returns the index of the first sample that belongs to the newest requested ones. */
  private int firstOfNewest(Wanted wanted, @Nullable Kind kind) {
    int available = 0;
    for (int i = 0; i < column.size(); i++) {
      available += kind == null || column.kind(i) == kind ? 1 : 0;
    }
    int left = reading.newest().take(wanted.match, wanted.series.field(), kind, available);
    int first = column.size();
    while (left > 0) {
      first--;
      left -= kind == null || column.kind(first) == kind ? 1 : 0;
    }
    return first;
  }
}
