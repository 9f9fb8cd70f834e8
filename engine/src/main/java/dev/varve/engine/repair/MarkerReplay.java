package dev.varve.engine.repair;

import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.home.MarkerTable.Written;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.write.CompanionWriter;
import dev.varve.engine.write.Companions;
import dev.varve.model.Attribute;
import dev.varve.model.Column;
import dev.varve.model.Run;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays markers: copies the samples of unfinished writes from the primary to its companions. Runs
 * once when a dataset is opened, then periodically.
 */
public final class MarkerReplay implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MarkerReplay.class);
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private final OpenDataset dataset;
  private final Companions companions;
  private final DatasetReader reader;
  private final CompanionWriter writer;
  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  /** Markers whose failure was already logged. Used by one thread at a time. */
  private final Set<Marker> refused = new HashSet<>();

  public MarkerReplay(
      OpenDataset dataset, Companions companions, DatasetReader reader, CompanionWriter writer) {
    this.dataset = dataset;
    this.companions = companions;
    this.reader = reader;
    this.writer = writer;
  }

  /** Replays all due markers, then starts a thread that replays later ones. */
  public void start() {
    replayAll();
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("markers of " + dataset.name())
            .start(this::replayAgainAndAgain);
  }

  private void replayAgainAndAgain() {
    while (!closed) {
      try {
        Thread.sleep(PAUSE);
        replayAll();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void replayAll() {
    for (Marker marker : companions.due(dataset.clock().systemMicros())) {
      if (closed) {
        return;
      }
      try {
        if (isKnown(marker)) {
          replay(marker);
        }
        refused.remove(marker);
      } catch (StoreException | ReadCancelledException | WriteFailedException e) {
        LOG.warn(
            "dataset '{}': companions still lack a write, which will be retried: {}",
            dataset.name(),
            e.getMessage());
        return;
      } catch (RuntimeException e) {
        if (refused.add(marker)) {
          LOG.error(
              "dataset '{}': companions lack the write of marker {}, which is kept until it can be replayed",
              dataset.name(),
              marker.stamp(),
              e);
        }
      }
    }
  }

  /**
   * Returns whether this server knows the periods of a marker. A server with additional periods
   * replays its own markers.
   */
  private boolean isKnown(Marker marker) {
    int periods = dataset.periods().all().size();
    return marker.written().stream()
        .allMatch(written -> written.period() >= 0 && written.period() < periods);
  }

  private void replay(Marker marker) {
    companions.repair(
        marker,
        () -> {
          for (Written written : marker.written()) {
            copy(written, dataset.periods().all().get(written.period()));
          }
        });
    dataset.marks().sync();
  }

  private void copy(Written written, Period period) {
    List<PlacedLayout> companions = period.layouts().subList(1, period.layouts().size());
    try (RunCursor runs = reader.jobs().primary(period, written.key(), written.times())) {
      for (Run run = runs.next(); run != null; run = runs.next()) {
        for (PlacedLayout companion : companions) {
          copy(run, companion);
        }
      }
    }
    try (Stream<Attribute> attributes =
        reader.jobs().attributesOfPrimary(period, written.key(), written.times())) {
      attributes.forEach(attribute -> {
        for (PlacedLayout companion : companions) {
          if (companion.layout().domain().attributes()) {
            writer.write(companion, attribute);
          }
        }
      });
    }
  }

  /**
   * Copies a run to a companion. Every sample keeps its stamp from the primary, so that the copy
   * does not hide samples that another server writes meanwhile. If cell times are event times,
   * stamps are unknown and new ones are used.
   */
  private void copy(Run run, PlacedLayout companion) {
    Samples samples = run.samples();
    if (samples.stamp(0) == 0) {
      writer.write(companion, group(run, 0, samples.size()), 0);
      return;
    }
    int end;
    for (int from = 0; from < samples.size(); from = end) {
      end = from + 1;
      while (end < samples.size() && samples.stamp(end) == samples.stamp(end - 1) + 1) {
        end++;
      }
      writer.write(companion, group(run, from, end), samples.stamp(from));
    }
  }

  private static SampleGroup group(Run run, int from, int to) {
    Samples samples = run.samples();
    String field = run.series().field();
    Column column =
        switch (samples.kind()) {
          case DOUBLE ->
              new Column.Doubles(field, Arrays.copyOfRange(samples.doubles(), from, to), null);
          case INT64 ->
              new Column.Longs(field, Arrays.copyOfRange(samples.longs(), from, to), null);
          case STRING -> texts(field, samples, from, to);
        };
    long[] times = Arrays.copyOfRange(samples.times(), from, to);
    return new SampleGroup(run.series().key(), to - from, times, List.of(column));
  }

  private static Column texts(String field, Samples samples, int from, int to) {
    int start = samples.textStart(from);
    int[] ends = new int[to - from];
    for (int i = from; i < to; i++) {
      ends[i - from] = samples.textEnd(i) - start;
    }
    byte[] bytes = Arrays.copyOfRange(samples.text(), start, samples.textEnd(to - 1));
    return new Column.Texts(field, bytes, ends, null);
  }

  @Override
  public void close() {
    closed = true;
    Thread started = thread;
    if (started == null) {
      return;
    }
    started.interrupt();
    try {
      started.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
