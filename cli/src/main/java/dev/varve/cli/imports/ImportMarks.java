package dev.varve.cli.imports;

import dev.varve.cli.imports.ImportState.AsideOfFile;
import dev.varve.cli.imports.ImportState.Input;
import dev.varve.cli.io.CommandFailedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records the progress of an import from time to time, so that it can be resumed after a kill. */
final class ImportMarks {
  /** Minimum time between two records. */
  private static final long BETWEEN_NANOS = 250_000_000;

  /**
   * Divisor of the elapsed time: recording takes at most this fraction, however many files there
   * are.
   */
  private static final int COST = 20;

  private final @Nullable Path state;
  private final String imported;
  private final String created;
  private final @Nullable ImportState begun;
  private final PrintWriter err;
  private final List<Input> inputs = new ArrayList<>();
  private boolean records;
  private long due = System.nanoTime() + BETWEEN_NANOS;

  private ImportMarks(
      @Nullable Path state,
      String imported,
      String created,
      @Nullable ImportState begun,
      PrintWriter err) {
    this.state = state;
    this.imported = imported;
    this.created = created;
    this.begun = begun;
    this.err = err;
    this.records = state != null;
    if (begun != null) {
      inputs.addAll(begun.inputs().subList(0, begun.inputs().size() - 1));
    }
  }

  /** Returns the marks of an import that cannot be resumed. */
  static ImportMarks none(PrintWriter err) {
    return new ImportMarks(null, "", "", null, err);
  }

  /**
   * Begins an import from the start. A state of the same import stays until the first record
   * replaces it.
   *
   * @param created when the dataset was created
   * @throws CommandFailedException if the file holds anything else
   */
  static ImportMarks fresh(Path state, String imported, String created, PrintWriter err)
      throws IOException {
    if (Files.exists(state)) {
      ImportState.requireReplaceable(state, imported);
    }
    return new ImportMarks(state, imported, created, null, err);
  }

  /**
   * Resumes an import, or begins it if nothing is recorded.
   *
   * @param created when the dataset was created
   * @throws CommandFailedException if the state is of another import or of an earlier dataset, or a
   *     file has changed
   */
  static ImportMarks resumed(
      Path state, String imported, String created, List<Path> files, PrintWriter err)
      throws IOException {
    if (!Files.exists(state)) {
      return new ImportMarks(state, imported, created, null, err);
    }
    ImportState begun = ImportState.read(state, imported, created);
    for (int i = 0; i < begun.inputs().size(); i++) {
      if (!begun.inputs().get(i).isOf(files.get(i))) {
        throw new CommandFailedException(
            "%s has changed since the import that %s records: import again, without --resume"
                .formatted(files.get(i), state));
      }
    }
    return new ImportMarks(state, imported, created, begun, err);
  }

  /** Returns whether an import is to be recorded at all. */
  boolean areKept() {
    return state != null;
  }

  /** Returns the state with which this run began; null if it began at the start. */
  @Nullable ImportState begun() {
    return begun;
  }

  /** Returns the index of the file with which this run begins. */
  int firstFile() {
    return begun == null ? 0 : begun.inputs().size() - 1;
  }

  /** Returns the lines or rows of a file that an earlier run has stored. */
  long doneOf(int file) {
    return begun != null && file == firstFile() ? begun.number() : 0;
  }

  /** Returns whether it is time to record the progress. */
  boolean isDue() {
    return records && System.nanoTime() - due >= 0;
  }

  /**
   * Records that everything up to a line or row is in the dataset. If that fails, the import
   * continues without a record.
   *
   * @param input the file that is being read
   */
  void reached(Input input, long number, Tally tally, AsideOfFile aside) {
    if (state == null) {
      return;
    }
    long start = System.nanoTime();
    List<Input> all = new ArrayList<>(inputs);
    all.add(input);
    try {
      new ImportState(imported, created, all, number, tally.totals(), aside).write(state);
    } catch (IOException e) {
      records = false;
      err.println(
          "no progress is recorded any more, so that --resume would go back: %s (--state names another file)"
              .formatted(e));
    }
    long end = System.nanoTime();
    due = end + Math.max(BETWEEN_NANOS, COST * (end - start));
  }

  /** Continues with the next file. */
  void fileDone(Input input) {
    inputs.add(input);
  }

  /** Forgets the import, which is complete. */
  void finish() throws IOException {
    if (state != null) {
      Files.deleteIfExists(state);
    }
  }

  /** Tells the user after a failure how to resume. */
  void sayHowToGoOn() {
    if (state != null && Files.exists(state)) {
      err.println("the same command with --resume continues from " + state);
    }
  }
}
