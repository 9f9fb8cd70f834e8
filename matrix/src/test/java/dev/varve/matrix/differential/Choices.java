package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The choices of a generator. Named choices are drawn from shuffled decks, so that each option
 * turns up before one turns up twice, and become features of the request.
 */
final class Choices {
  private final Random random;
  private final Map<String, List<Object>> decks = new HashMap<>();
  private final Map<String, Set<String>> options = new TreeMap<>();
  private Set<String> features = new TreeSet<>();

  Choices(long seed) {
    this.random = new Random(seed);
  }

  /** Begins a request and returns the features that its choices will have. */
  Set<String> begin() {
    features = new TreeSet<>();
    return features;
  }

  /** Notes a feature of the request. */
  void note(String feature) {
    features.add(feature);
  }

  /** Draws an option and notes it. */
  @SafeVarargs
  @SuppressWarnings("varargs") // The array is only read.
  final <T> T draw(String name, T... some) {
    return draw(name, List.of(some));
  }

  /** Draws an option and notes it. */
  @SuppressWarnings("unchecked") // A deck holds the options of one place.
  <T> T draw(String name, List<T> some) {
    List<Object> deck = decks.computeIfAbsent(name, none -> new ArrayList<>());
    if (deck.isEmpty()) {
      deck.addAll(some);
      Collections.shuffle(deck, random);
      Set<String> known = options.computeIfAbsent(name, none -> new TreeSet<>());
      some.forEach(option -> known.add(name + " " + option));
    }
    T drawn = (T) deck.removeLast();
    note(name + " " + drawn);
    return drawn;
  }

  /** Returns all options that were offered, by the names of the choices. */
  Map<String, Set<String>> options() {
    return options;
  }

  /** Picks an option that is not a feature. */
  @SafeVarargs
  final <T> T pick(T... some) {
    return some[random.nextInt(some.length)];
  }

  <T> T pick(List<T> some) {
    return some.get(random.nextInt(some.size()));
  }

  boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  /** Returns a number from 0 to one below the bound. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  long between(long from, long to) {
    return random.nextLong(from, to + 1);
  }
}
