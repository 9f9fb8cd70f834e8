package dev.varve.layout;

import dev.varve.layout.kairosdb.KairosDbLayout;
import dev.varve.layout.opentsdb.OpenTsdbInference;
import dev.varve.layout.opentsdb.OpenTsdbLayout;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Finds with which parameters the tables of another server may have been made. Pure: it says which
 * cells it wants, is given them, and answers with guesses; whoever asks tries each on the tables.
 */
public final class Inference {
  /**
   * Parameters that may be right.
   *
   * @param evidence what speaks for them, in words
   * @param demand which of them cannot be told from the tables and has to be given, and why; empty
   *     where there is none
   */
  public record Guess(Map<String, String> parameters, List<String> evidence, String demand) {
    public Guess {
      parameters = Map.copyOf(parameters);
      evidence = List.copyOf(evidence);
    }

    public Guess(Map<String, String> parameters, List<String> evidence) {
      this(parameters, evidence, "");
    }
  }

  /**
   * Cells that a guess takes.
   *
   * @param table the place of the table in {@link Layout#tables()}
   * @param families of the table, in its order
   * @param rows which rows to read; none for some from all over the table
   */
  public record Sample(int table, List<Integer> families, List<Bytes> rows) {
    public Sample {
      families = List.copyOf(families);
      rows = List.copyOf(rows);
    }
  }

  /** Of fewer rows each has to be explained. */
  private static final int ROWS_MIN = 20;

  private static final int UNEXPLAINED_ALWAYS = 2;
  private static final int UNEXPLAINED_PERCENT = 1;

  private Inference() {}

  /**
   * How many rows of a table may be none of a layout that is right: an old table has rows of names
   * that were deleted since, or of a server that had another configuration for an hour.
   */
  public static int unexplainedMax(int rows) {
    return rows < ROWS_MIN ? 0 : Math.max(UNEXPLAINED_ALWAYS, rows * UNEXPLAINED_PERCENT / 100);
  }

  /** What to read of the tables of a layout. */
  public static List<Sample> samples(Layout layout) {
    List<Sample> samples = new ArrayList<>();
    for (int table = 0; table < layout.tables().size(); table++) {
      TableSpec spec = layout.tables().get(table);
      if (layout instanceof OpenTsdbLayout && table != layout.dataTable()) {
        samples.addAll(OpenTsdbInference.samplesOfUids(table));
      } else {
        List<Integer> families = IntStream.range(0, spec.families().size()).boxed().toList();
        samples.add(new Sample(table, families, List.of()));
      }
    }
    return samples;
  }

  /**
   * Guesses.
   *
   * @param layout the name of a known or ready-made layout
   * @param given parameters that are known, which every guess has
   * @param cells what was asked for of each of the layout's tables, in its order
   * @return at least one
   */
  public static List<Guess> of(String layout, Map<String, String> given, List<List<Cell>> cells) {
    return switch (layout) {
      case OpenTsdbLayout.NAME -> OpenTsdbInference.of(given, cells);
      case KairosDbLayout.NAME -> ofUnits(given);
      default -> List.of(new Guess(given, List.of()));
    };
  }

  /**
   * Completes a guess by what can only be looked up once the tables are read with it.
   *
   * @param made the layout of the guess
   */
  public static Step<Guess> completed(Guess guess, Layout made) {
    return made instanceof KairosDbLayout kairosDb
        ? kairosDb.withTagIndex(guess)
        : Step.done(guess);
  }

  /** The tables say which unit is theirs when they are opened; what they do not say is legacy. */
  private static List<Guess> ofUnits(Map<String, String> given) {
    if (given.containsKey("unit")) {
      return List.of(new Guess(given, List.of("the unit was given")));
    }
    List<Guess> guesses = new ArrayList<>();
    for (String unit : List.of("milliseconds", "seconds", "legacy")) {
      Map<String, String> parameters = new LinkedHashMap<>(given);
      parameters.put("unit", unit);
      guesses.add(new Guess(parameters, List.of()));
    }
    return guesses;
  }
}
