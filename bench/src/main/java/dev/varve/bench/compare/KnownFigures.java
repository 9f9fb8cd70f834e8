package dev.varve.bench.compare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Figures of an earlier run, for the servers that a run does not have. They were measured with the
 * full data sets on two processors.
 */
final class KnownFigures {
  private static final String FILE = "known-figures.txt";

  private KnownFigures() {}

  /**
   * Returns the figures of a server.
   *
   * @param datasets names of the wanted data sets
   */
  static List<Figure> of(String server, List<String> datasets) throws IOException {
    List<Figure> figures = new ArrayList<>();
    try (InputStream in =
        Objects.requireNonNull(KnownFigures.class.getResourceAsStream(FILE), FILE)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      List<String> measures = List.of();
      String dataset = "";
      String protocol = "";
      for (String line : text.lines().filter(line -> !line.startsWith("#")).toList()) {
        String[] cells = line.split("\\|", -1);
        if (cells[0].equals("table")) {
          dataset = cells[1];
          protocol = cells[2];
          measures = List.of(cells).subList(3, cells.length);
        } else if (cells[0].equals(server) && datasets.contains(dataset)) {
          for (int i = 0; i < measures.size(); i++) {
            if (!cells[i + 2].isEmpty()) {
              double value = Double.parseDouble(cells[i + 2]);
              figures.add(
                  new Figure(server, dataset, protocol, cells[1], measures.get(i), value, true));
            }
          }
        }
      }
    }
    return figures;
  }
}
