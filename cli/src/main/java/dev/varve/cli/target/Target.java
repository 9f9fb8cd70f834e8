package dev.varve.cli.target;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.engine.progress.CompactionProgress;
import dev.varve.engine.progress.ConversionProgress;
import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.DeletionProgress;
import dev.varve.engine.progress.FillResult;
import dev.varve.engine.progress.Remnant;
import dev.varve.formats.export.ExportWriter;
import dev.varve.model.Batch;
import dev.varve.model.Resolution;
import dev.varve.model.Value;
import dev.varve.server.varve.QueryParameters;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The dataset of a command, in this process or in a server. Calls block. */
public interface Target extends AutoCloseable {
  /** Returns the name of the dataset. */
  String name();

  /** Returns another dataset of the same home or server, which need not be closed. */
  Target beside(String dataset);

  /** Returns the unit of its times. */
  Resolution resolution();

  /**
   * Returns the durability of samples once {@link #write} has returned, as one of the words of
   * {@link dev.varve.engine.config.Acknowledgement}; empty if the server does not say.
   */
  String durability();

  /**
   * Returns the time at which the dataset was created, in ISO 8601; empty if the server does not
   * say. A dataset that was created anew has another time.
   */
  String created();

  /** Returns whether it holds fields other than {@code value}. */
  boolean holdsFields();

  /**
   * Writes a batch and returns the outcome.
   *
   * @param insists whether integers must stay integers; otherwise a layout that holds only doubles
   *     stores them as equal doubles
   */
  Written write(Batch batch, boolean insists);

  /**
   * Writes the samples of a batch at whose instants the dataset has none, and compares all of them
   * with what it has then. An integer is stored as an equal double where the layout has only
   * doubles.
   *
   * @param dry whether to compare only
   * @throws ServerBusyException or {@link dev.varve.engine.error.OverloadedException} if nothing
   *     was tried because too much is waiting
   */
  Filled fill(Batch batch, boolean dry);

  /**
   * Returns the metrics of the matching series, sorted.
   *
   * @param selector in PromQL's syntax
   */
  List<String> metrics(String selector);

  /**
   * Waits until all series are known, which takes time after tables of others were attached.
   *
   * @throws CommandFailedException if it is a server that has to find them first
   */
  void awaitCatalog() throws IOException;

  /** Runs a query and passes on its samples, series by series. */
  void query(QueryParameters parameters, SampleSink sink);

  /**
   * Writes all samples of {@link QueryParameters#ofRows}, ordered by metric, series and time, as
   * they come.
   *
   * @return the number of samples that were left out before they reached the writer
   */
  long export(QueryParameters rows, ExportWriter writer) throws IOException;

  /**
   * Returns the explanation of a query as JSON.
   *
   * @param texts parameters of {@link dev.varve.server.varve.ExplainRequest}
   */
  String explain(Map<String, String> texts);

  /**
   * Returns the heat map of a table as JSON.
   *
   * @param texts parameters of {@link dev.varve.server.varve.HeatParameters}
   */
  String heatMap(Map<String, String> texts);

  /** Returns the advice for the dataset, as JSON. */
  String advice();

  /** Returns the cells that points would become, as JSON. Nothing is written. */
  String explain(Batch batch);

  /**
   * Compacts the rows named by parameters of {@link QueryParameters#ofRows}.
   *
   * @param progress called from time to time
   * @return the totals
   */
  CompactionProgress compact(QueryParameters rows, Consumer<CompactionProgress> progress);

  /**
   * Converts the cells of earlier periods into blocks of the last one.
   *
   * @param progress called from time to time
   * @return the progress at the end
   */
  ConversionProgress convertIntoBlocks(Consumer<ConversionProgress> progress);

  /**
   * Counts the series and samples that a delete would remove.
   *
   * @param texts parameters of {@link dev.varve.server.varve.DeleteParameters}
   */
  DeleteCount countDeletable(Map<String, String> texts);

  /**
   * Deletes samples and waits until they are removed.
   *
   * @param texts parameters of {@link dev.varve.server.varve.DeleteParameters}
   * @param progress called from time to time
   * @return the outcome
   */
  DeletionProgress delete(Map<String, String> texts, Consumer<DeletionProgress> progress);

  /**
   * Returns the places that may still hold samples that deletes have removed from the tables.
   *
   * @throws dev.varve.cli.io.CommandFailedException if the places cannot be listed
   */
  List<Remnant> remnants();

  @Override
  void close();

  /**
   * The outcome of a batch.
   *
   * @param coerced number of integers that were stored as doubles
   * @param reasons why the first refused points were refused, each with its point
   */
  record Written(long accepted, long refused, long coerced, List<String> reasons) {}

  /**
   * The outcome of filling.
   *
   * @param refused samples that the dataset does not take
   * @param dropped samples that the server's rules drop
   * @param coerced number of integers that are compared as doubles
   * @param lost samples that should be there and are not; in a dry run, those that are missing
   * @param reasons why the first refused samples were refused, each with its sample
   */
  record Filled(
      long accepted,
      long refused,
      long dropped,
      long coerced,
      long lost,
      List<String> reasons,
      List<FillResult.Day> days) {}

  /** Receives the samples of a result. */
  interface SampleSink {
    /**
     * Receives one sample.
     *
     * @param metric empty if the series of a group have different metrics
     * @param value null for a gap
     */
    void accept(String metric, Map<String, String> labels, long time, @Nullable Value value);
  }
}
