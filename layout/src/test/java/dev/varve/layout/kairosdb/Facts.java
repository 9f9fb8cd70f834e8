package dev.varve.layout.kairosdb;

import dev.varve.model.Tags;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Recorded facts, one per line with columns separated by tabs; lines that start with a hash sign
 * are comments.
 */
final class Facts {
  private static final Pattern UNIT = Pattern.compile("\\\\u([0-9a-f]{4})");

  private Facts() {}

  /** Returns the lines whose first column is {@code kind}, without that column. */
  static List<String[]> of(String resource, String kind) {
    try (InputStream in = Facts.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("no test resource " + resource);
      }
      List<String[]> facts = new ArrayList<>();
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
        if (line.startsWith(kind + "\t")) {
          facts.add(line.substring(kind.length() + 1).split("\t", -1));
        }
      }
      if (facts.isEmpty()) {
        throw new IllegalStateException(resource + " has no line " + kind);
      }
      return facts;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  static String text(String escaped) {
    return UNIT.matcher(escaped)
        .replaceAll(match -> String.valueOf((char) Integer.parseInt(match.group(1), 16)));
  }

  static Tags tags(String escaped) {
    TreeMap<String, String> tags = new TreeMap<>();
    for (String tag : escaped.split(",", -1)) {
      int end = tag.indexOf('=');
      tags.put(text(tag.substring(0, end)), text(tag.substring(end + 1)));
    }
    return Tags.of(tags);
  }
}
