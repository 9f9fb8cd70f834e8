package dev.varve.layout;

import dev.varve.layout.kairosdb.KairosDbLayout;
import dev.varve.layout.opentsdb.OpenTsdbInference;
import dev.varve.layout.opentsdb.OpenTsdbLayout;
import dev.varve.store.Cell;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds with which parameters the tables of another server may have been made. Pure: it is given
 * some cells and answers with guesses; whoever asks tries each on the tables.
 */
public final class Inference {
  /**
   * Parameters that may be right.
   *
   * @param evidence what speaks for them, in words
   */
  public record Guess(Map<String, String> parameters, List<String> evidence) {
    public Guess {
      parameters = Map.copyOf(parameters);
      evidence = List.copyOf(evidence);
    }
  }

  private Inference() {}

  /**
   * Guesses.
   *
   * @param layout the name of a known or ready-made layout
   * @param given parameters that are known, which every guess has
   * @param cells some of each of the layout's tables, in its order
   * @return at least one
   */
  public static List<Guess> of(String layout, Map<String, String> given, List<List<Cell>> cells) {
    return switch (layout) {
      case OpenTsdbLayout.NAME -> OpenTsdbInference.of(given, cells);
      case KairosDbLayout.NAME -> ofUnits(given);
      default -> List.of(new Guess(given, List.of()));
    };
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
