package dev.varve.cli;

import dev.varve.engine.CompactionProgress;
import dev.varve.model.Batch;
import dev.varve.model.Resolution;
import dev.varve.model.Value;
import dev.varve.server.varve.PromQlParameters;
import dev.varve.server.varve.QueryParameters;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A dataset that a command works with: in this process, or in a server. Calls block. */
public interface Target extends AutoCloseable {
  /** The unit of its times. */
  Resolution resolution();

  /** Whether it holds fields other than {@code value}. */
  boolean holdsFields();

  /**
   * Writes a batch and says what became of it.
   *
   * @param insists whether integers have to stay integers; if not, those that a layout of doubles
   *     cannot hold are stored as the doubles that are equal to them
   */
  Written write(Batch batch, boolean insists);

  /** Runs a query and hands over its samples, series by series. */
  void query(QueryParameters parameters, SampleSink sink);

  /** How a query would go, or went, as JSON. */
  String explain(QueryParameters parameters, boolean analyze);

  /** How a query in PromQL would be answered, or was, as JSON. */
  String explain(PromQlParameters parameters, boolean analyze);

  /** What points would become, cell by cell, as JSON. Nothing is written. */
  String explain(Batch batch);

  /**
   * Compacts the rows that the parameters name, of {@link QueryParameters#ofRows}.
   *
   * @param progress told now and then
   * @return what it came to
   */
  CompactionProgress compact(QueryParameters rows, Consumer<CompactionProgress> progress);

  @Override
  void close();

  /**
   * What became of a batch.
   *
   * @param coerced how many integers were stored as doubles
   * @param reasons of the first refused points, each with its point
   */
  record Written(long accepted, long refused, long coerced, List<String> reasons) {}

  /** Takes the samples of a result. */
  interface SampleSink {
    /**
     * Takes one sample.
     *
     * @param metric empty where the series of a group have several
     * @param value null for a gap
     */
    void accept(String metric, Map<String, String> labels, long time, @Nullable Value value);
  }
}
