package dev.varve.engine.advice;

import dev.varve.engine.advice.Advice.ReadCosts;
import dev.varve.engine.advice.Advice.WriteCosts;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.read.WhatIf;
import dev.varve.engine.request.ReadGuard;
import dev.varve.layout.block.BlockCells;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.SampleColumn;
import dev.varve.layout.plan.Planner;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Weighs layout {@code blocks} for a dataset of cells. It packs samples of a few series into blocks
 * and takes the bytes of a sample and of a block from these. A series has a block for each day, or
 * several if it has very many samples. Columns of times that series share are counted with every
 * series.
 */
final class BlocksWeigher {
  /** Series that are packed, and samples of each: about as many as a block has. */
  private static final int SERIES = 4;

  private static final int SAMPLES = 4_096;

  /** The head and the body of a block. */
  private static final int CELLS = 2;

  private final OpenDataset dataset;
  private final Workload workload;
  private final SeriesRates rates;
  private final DatasetReader reader;
  private final BlockLayout layout;

  /**
   * Bytes of blocks.
   *
   * @param ofBlock bytes of keys and head of a block, whatever it holds
   * @param ofSample bytes of a sample in a body
   */
  private record Packed(double ofBlock, double ofSample) {}

  BlocksWeigher(OpenDataset dataset, Workload workload, SeriesRates rates, DatasetReader reader) {
    this.dataset = dataset;
    this.workload = workload;
    this.rates = rates;
    this.reader = reader;
    this.layout = new BlockLayout(dataset.resolution());
  }

  /** Returns why a dataset cannot continue in blocks, in words; null if it can. */
  static @Nullable String refusal(OpenDataset dataset) {
    if (dataset.config().attached() != null) {
      return "its tables are attached, and other programs write them";
    }
    for (Period period : dataset.periods().all()) {
      if (period.hasCompanions()) {
        return "its companion '%s' would be lost".formatted(period.layouts().get(1).name());
      }
      if (!period.isInBlocks() && period.domain().versions()) {
        return "layout '%s' keeps earlier versions of samples".formatted(period.layoutName());
      }
      if (!period.isInBlocks() && period.domain().attributes()) {
        return "layout '%s' keeps attributes".formatted(period.layoutName());
      }
    }
    return null;
  }

  /** Returns the expected costs of the dataset in blocks; null if there is no sample to pack. */
  @Nullable Option weigh(ReadGuard guard) {
    Packed packed = packed(SampledPoints.of(rates, reader, guard, SERIES, SAMPLES));
    if (packed == null) {
      return null;
    }
    List<ReadCosts> reads = new ArrayList<>();
    for (Workload.Query query : workload.queries()) {
      guard.ensureWanted();
      reads.add(read(query, packed));
    }
    return new Option(null, layout, reads, 0, write(packed), List.of());
  }

  private @Nullable Packed packed(SampledPoints points) {
    if (points.isEmpty()) {
      return null;
    }
    List<Cell> cells = new ArrayList<>();
    for (SampleGroup group : points.batch().groups()) {
      for (String field : group.columns().stream().map(Column::field).distinct().toList()) {
        SampleColumn column = new SampleColumn();
        BlockCells.add(group, field, column);
        column.settle(new SampleColumn());
        cells.addAll(BlockCells.encode(column, dataset.resolution(), 0, 0, 1));
      }
    }
    double ofBlock = 0;
    double ofSamples = 0;
    long samples = 0;
    for (int i = 0; i < cells.size(); i += CELLS) {
      Cell head = cells.get(i);
      Cell body = cells.get(i + 1);
      byte[] value = head.value().toArray();
      ofBlock += CELLS * (BlockKey.ROW_BYTES + BlockKey.QUALIFIER_BYTES) + (double) value.length;
      ofSamples += body.value().length();
      samples += BlockHead.read(value, 0, value.length).count();
    }
    return new Packed(ofBlock * CELLS / cells.size(), ofSamples / Math.max(1, samples));
  }

  private ReadCosts read(Workload.Query query, Packed packed) {
    TimeRange times = new WhatIf(dataset).kept(query.request());
    Set<String> wanted = query.request().fields();
    double blocks = 0;
    double days = 0;
    double samples = 0;
    for (Match match : query.matches()) {
      List<String> fields = match.fields();
      long read = wanted == null ? fields.size() : fields.stream().filter(wanted::contains).count();
      Amount amount = amount(match.series(), times);
      double share = (double) read / Math.max(1, fields.size());
      days += amount.days() * read;
      blocks += amount.blocks() * read;
      samples += amount.samples() * share;
    }
    double cells = CELLS * blocks;
    return new ReadCosts(
        days,
        days,
        cells,
        blocks * packed.ofBlock() + samples * packed.ofSample(),
        Planner.cost(days, days, cells));
  }

  /** Days of a series, and the blocks and samples in them. */
  private record Amount(double days, double blocks, double samples) {}

  /**
   * Returns the days, blocks and samples that a read of some times touches in a series. Days are
   * read as a whole.
   */
  private Amount amount(int series, TimeRange times) {
    SeriesIndex index = dataset.index();
    // Stored extents end ahead of the newest sample, so that they are rarely rewritten.
    TimeRange extent =
        index.extent(series).intersect(new TimeRange(Long.MIN_VALUE, dataset.now() + 1));
    TimeRange within = extent.intersect(times);
    if (within.isEmpty()) {
      return new Amount(0, 0, 0);
    }
    long first = BlockKey.bucket(within.from(), dataset.resolution());
    long last = BlockKey.bucket(within.to() - 1, dataset.resolution());
    TimeRange whole =
        new TimeRange(
                BlockKey.times(first, dataset.resolution()).from(),
                BlockKey.times(last, dataset.resolution()).to())
            .intersect(extent);
    double samples =
        index.count(series)
            * ((double) whole.to() - whole.from())
            / ((double) extent.to() - extent.from());
    double days = last - first + 1.0;
    return new Amount(days, Math.max(days, samples / BlockHead.SAMPLES_MAX), samples);
  }

  private WriteCosts write(Packed packed) {
    double day = BlockKey.width(dataset.resolution());
    double blocks = 0;
    double samples = 0;
    double largest = 0;
    for (SeriesRates.Rate rate : rates.rates()) {
      double daily = Math.max(1, rate.perTick() * day);
      double ofDay = Math.max(1, daily / BlockHead.SAMPLES_MAX);
      blocks += ofDay;
      samples += daily;
      largest = Math.max(largest, ofDay * packed.ofBlock() + daily * packed.ofSample());
    }
    double ofSample = blocks / Math.max(1, samples);
    return new WriteCosts(
        CELLS * ofSample,
        ofSample * packed.ofBlock() + packed.ofSample(),
        // The day leads the key: whatever is sealed goes to one place.
        1,
        largest);
  }
}
