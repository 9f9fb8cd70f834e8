package dev.varve.layout.heroic;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Facts recorded from the original, one per line; the files say how they were recorded. */
final class Recorded {
  private Recorded() {}

  /** Returns the fields of all lines that are not comments. */
  static List<String[]> lines(String resource) {
    try (InputStream in =
        Objects.requireNonNull(Recorded.class.getResourceAsStream(resource), resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split("\t", -1))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static GroupKey key(String metric, String tags, String resource) {
    return new GroupKey(text(metric), tags(tags), tags(resource));
  }

  private static Tags tags(String pairs) {
    Map<String, String> tags = new TreeMap<>();
    for (String pair : pairs.isEmpty() ? new String[0] : pairs.split("&", -1)) {
      String[] both = pair.split("=", -1);
      tags.put(text(both[0]), text(both[1]));
    }
    return Tags.of(tags);
  }

  private static String text(String encoded) {
    return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
  }
}
