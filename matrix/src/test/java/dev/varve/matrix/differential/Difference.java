package dev.varve.matrix.differential;

import dev.varve.matrix.differential.JsonTree.Numeral;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A place where two answers differ.
 *
 * @param place {@code status}, or names and indexes from the document's root
 * @param theirs what the original has there; null for nothing
 * @param ours what Varve has there; null for nothing
 */
record Difference(String place, @Nullable String theirs, @Nullable String ours) {
  /** For doubles that were added in another order, or by a more exact formula. */
  private static final double TOLERANCE = 1e-9;

  /** Returns all differences; only that of the status, if they differ in that. */
  static List<Difference> between(Answer theirs, Answer ours) {
    List<Difference> found = new ArrayList<>();
    if (theirs.status() != ours.status()) {
      found.add(
          new Difference("status", String.valueOf(theirs.status()), String.valueOf(ours.status())));
    } else {
      compare("", JsonTree.read(theirs.body()), JsonTree.read(ours.body()), found);
    }
    return found;
  }

  private static void compare(
      String place, @Nullable Object theirs, @Nullable Object ours, List<Difference> found) {
    if (theirs instanceof Map<?, ?> a && ours instanceof Map<?, ?> b) {
      TreeSet<String> names = new TreeSet<>();
      a.keySet().forEach(name -> names.add(String.valueOf(name)));
      b.keySet().forEach(name -> names.add(String.valueOf(name)));
      for (String name : names) {
        String inner = place + "." + name;
        if (!a.containsKey(name)) {
          found.add(new Difference(inner, null, JsonTree.write(b.get(name))));
        } else if (!b.containsKey(name)) {
          found.add(new Difference(inner, JsonTree.write(a.get(name)), null));
        } else {
          compare(inner, a.get(name), b.get(name), found);
        }
      }
    } else if (theirs instanceof List<?> a && ours instanceof List<?> b && a.size() == b.size()) {
      for (int i = 0; i < a.size(); i++) {
        compare(place + "[" + i + "]", a.get(i), b.get(i), found);
      }
    } else if (!same(theirs, ours)) {
      found.add(new Difference(place, JsonTree.write(theirs), JsonTree.write(ours)));
    }
  }

  private static boolean same(@Nullable Object theirs, @Nullable Object ours) {
    if (theirs instanceof Numeral a && ours instanceof Numeral b) {
      if (a.isWhole() != b.isWhole()) {
        return false;
      }
      return (a.isWhole() && a.text().length() < 16)
          ? a.text().equals(b.text())
          : near(a.value(), b.value());
    }
    return Objects.equals(theirs, ours);
  }

  /** Returns whether two numbers differ by no more than the last digits of sums do. */
  static boolean near(double a, double b) {
    return a == b || Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
  }

  @Override
  public String toString() {
    return "%s: %s, Varve: %s".formatted(place, shortened(theirs), shortened(ours));
  }

  private static String shortened(@Nullable String text) {
    return text == null ? "nothing" : text.length() <= 300 ? text : text.substring(0, 300) + "...";
  }
}
