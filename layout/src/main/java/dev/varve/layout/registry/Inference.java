package dev.varve.layout.registry;

import dev.varve.layout.Guess;
import dev.varve.layout.Layout;
import dev.varve.layout.Step;
import dev.varve.layout.kairosdb.KairosDbLayout;
import dev.varve.layout.opentsdb.OpenTsdbInference;
import dev.varve.layout.opentsdb.OpenTsdbLayout;
import dev.varve.store.Cell;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Infers the parameters with which another server may have created its tables. Pure: it states
 * which cells it needs, receives them and returns guesses, which the caller verifies against the
 * tables.
 */
public final class Inference {
  private Inference() {}

  /** Returns the samples of cells to read from the tables of a layout. */
  public static List<Guess.Sample> samples(Layout layout) {
    List<Guess.Sample> samples = new ArrayList<>();
    for (int table = 0; table < layout.tables().size(); table++) {
      TableSpec spec = layout.tables().get(table);
      if (layout instanceof OpenTsdbLayout && table != layout.dataTable()) {
        samples.addAll(OpenTsdbInference.samplesOfUids(table));
      } else {
        List<Integer> families = IntStream.range(0, spec.families().size()).boxed().toList();
        samples.add(new Guess.Sample(table, families, List.of()));
      }
    }
    return samples;
  }

  /**
   * Guesses the parameters.
   *
   * @param layout the name of a known or ready-made layout
   * @param given known parameters, which are part of every guess
   * @param cells the requested cells of each of the layout's tables, in order
   * @return at least one guess
   */
  public static List<Guess> of(String layout, Map<String, String> given, List<List<Cell>> cells) {
    return switch (layout) {
      case OpenTsdbLayout.NAME -> OpenTsdbInference.of(given, cells);
      case KairosDbLayout.NAME -> ofUnits(given);
      default -> List.of(new Guess(given, List.of()));
    };
  }

  /**
   * Completes a guess with parameters that require reading the tables through it.
   *
   * @param made the layout created from the guess
   */
  public static Step<Guess> completed(Guess guess, Layout made) {
    return made instanceof KairosDbLayout kairosDb
        ? kairosDb.withTagIndex(guess)
        : Step.done(guess);
  }

  /**
   * When they are opened, the tables confirm or refute the unit. Tables that do neither are legacy.
   */
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
