package dev.varve.engine.read;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.pending.HiddenSamples;
import dev.varve.engine.read.SeriesBlocks.Block;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Latest;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Attribute;
import dev.varve.model.Kind;
import dev.varve.model.Run;
import dev.varve.model.TimeRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads series from blocks and heads, one series after the other. The blocks of several series are
 * {@linkplain BlockLoader loaded} together.
 */
final class BlockSource implements RunSource {
  /** Maximum number of series whose blocks are read together. */
  private static final int SERIES_MAX = 256;

  /** Maximum number of rows that are read together. */
  private static final int ROWS_MAX = 2048;

  /** Bytes of a sample while its series is decoded, put in order and delivered. */
  private static final int DECODED_BYTES = 52;

  private final Reading reading;
  private final PlannedBlocks planned;
  private final BlockTiers.View view;
  private final SeriesNumbers numbers;
  private final List<Long> buckets;
  private final BlockLoader loader;
  private final ReadBuffers buffers;
  private final SampleColumn column;
  private final SampleColumn spare;
  private final ColumnRuns runs;
  private final Deque<SeriesBlocks> loaded = new ArrayDeque<>();
  private final Deque<Run> ready = new ArrayDeque<>();

  /** The series whose samples are in the column and not delivered yet; null if there is none. */
  private @Nullable SeriesBlocks open;

  private int nextMatch;
  private int nextField;

  /** Whether the latest sample of each series suffices. */
  private final boolean latestSuffices;

  /** Whether blocks of all times from the first one on are read, so that the latest is found. */
  private final boolean readsToTheEnd;

  /** Bytes of decoded samples that are held. */
  private long heldDecoded;

  /** Whether all is delivered and the buffers are given back. */
  private boolean ended;

  BlockSource(Reading reading, PlannedBlocks planned) {
    this.reading = reading;
    this.planned = planned;
    this.numbers = planned.tiers().numbers();
    // The view comes first: samples that leave a head later are in blocks by then.
    this.view = reading.view(planned.tiers());
    this.buckets = view.buckets(planned.times());
    ReadRequest request = reading.request();
    this.latestSuffices =
        request.kinds() == Kinds.ONE && (request.latest() != null || request.newestFirst() == 1);
    TimeRange on = new TimeRange(planned.times().from(), Long.MAX_VALUE);
    this.readsToTheEnd = latestSuffices && view.buckets(on).equals(buckets);
    this.buffers = ReadBuffers.take();
    this.column = buffers.column();
    this.spare = buffers.spare();
    this.loader = new BlockLoader(reading, planned, view.table(), buckets, readsToTheEnd, buffers);
    this.runs = new ColumnRuns(column, planned.period().index(), buffers.samples());
  }

  @Override
  public @Nullable Attribute nextAttribute() {
    return null;
  }

  @Override
  public @Nullable Run next() {
    while (!ended && ready.isEmpty()) {
      if (open != null) {
        Run run = runs.next(open.series);
        open = runs.hasNext() ? open : null;
        return run;
      }
      SeriesBlocks wanted = loaded.poll();
      if (wanted != null) {
        deliver(wanted);
      } else if (!load()) {
        end();
      }
    }
    return ready.poll();
  }

  /** Gives all memory back. A read that is broken off leaves its buffers to the collector. */
  private void end() {
    ended = true;
    loader.release();
    reading.guard().released(heldDecoded);
    heldDecoded = 0;
    buffers.giveBack();
  }

  /**
   * Reads the blocks of the next series.
   *
   * @return false if no series is left
   */
  private boolean load() {
    loader.release();
    int most = Math.clamp(ROWS_MAX / Math.max(1, buckets.size()), 1, SERIES_MAX);
    List<SeriesBlocks> next = new ArrayList<>();
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
        next.add(new SeriesBlocks(match, of.key().field(field), number, numbers.metric(number)));
      }
    }
    if (next.isEmpty()) {
      return false;
    }
    List<SeriesBlocks> inBlocks = next;
    if (latestSuffices) {
      next.forEach(this::readLatest);
      inBlocks = next.stream().filter(one -> !one.hasLatest).toList();
    }
    if (!buckets.isEmpty() && !inBlocks.isEmpty()) {
      loader.load(inBlocks);
    }
    loaded.addAll(next);
    return true;
  }

  /** Reads the latest sample of a series, if that takes no block. */
  private void readLatest(SeriesBlocks wanted) {
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

  private @Nullable HiddenSamples hidden(SeriesBlocks wanted) {
    return reading
        .deletes()
        .of(reading.matches().get(wanted.match).series(), wanted.series.field());
  }

  /** Holds memory for the decoded samples of a series, which is reused for the next ones. */
  private void holdDecoded(SeriesBlocks wanted) {
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

  /** Decodes a block without the samples that deletes hide. */
  private void decode(
      SeriesBlocks wanted, Block block, TimeRange range, @Nullable HiddenSamples hidden) {
    if (hidden == null
        || !hidden.overlaps(block.head().first(), block.head().last(), block.generation())) {
      loader.decode(wanted, block, range, column);
      return;
    }
    spare.clear();
    loader.decode(wanted, block, range, spare);
    for (int i = 0; i < spare.size(); i++) {
      if (!hidden.contains(spare.time(i), block.generation())) {
        column.addFrom(spare, i);
      }
    }
  }

  /** Decodes the samples of a series and makes them runs. */
  private void deliver(SeriesBlocks wanted) {
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

  private void deliverColumn(SeriesBlocks wanted) {
    if (reading.request().kinds() == Kinds.ONE && !reading.newest().isAsked()) {
      open = column.isEmpty() ? null : wanted;
      runs.begin();
    } else if (reading.request().kinds() == Kinds.EACH) {
      for (Kind kind : Kind.values()) {
        runsOf(wanted, kind);
      }
    } else {
      runsOf(wanted, null);
    }
  }

  /** Decodes the samples of a series in a range, in order of time, each once. */
  private void decode(SeriesBlocks wanted, TimeRange range, @Nullable HiddenSamples hidden) {
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

  /** Remembers the latest sample of the blocks, which are all that the column holds so far. */
  private void learnLatest(SeriesBlocks wanted) {
    column.settle(spare);
    int last = column.size() - 1;
    if (last >= 0 && column.time(last) == wanted.lastInBlocks && column.kind(last) != Kind.STRING) {
      view.learnLatest(wanted.number, column.time(last), column.kind(last), column.value(last));
    } else if (wanted.lastInBlocks < planned.times().from()) {
      view.learnLatest(wanted.number, planned.times().from() - 1, null, 0);
    }
  }

  /** Returns whether the request excludes the latest sample: a text, or a staleness marker. */
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
   * Returns the range to decode. If the latest sample suffices, it begins at a time at which a
   * block is known to have a sample.
   */
  private TimeRange rangeToDecode(SeriesBlocks wanted) {
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

  /**
   * Makes runs of the samples of a kind, or of all.
   *
   * @param kind null for all kinds together
   */
  private void runsOf(SeriesBlocks wanted, @Nullable Kind kind) {
    if (!reading.newest().isAsked()) {
      ready.addAll(runs.runs(wanted.series, kind, 0));
      return;
    }
    int newest = reading.newest().take(wanted.match, wanted.series.field(), kind, runs.count(kind));
    ready.addAll(runs.runs(wanted.series, kind, runs.firstOfLast(kind, newest)).reversed());
  }
}
