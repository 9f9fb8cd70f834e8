package dev.varve.acceptance;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files of collectd's csv plugin: one folder per host, in it folders {@code PLUGIN[-INSTANCE]},
 * in them files {@code TYPE[-INSTANCE]-DATE} with one column per data source.
 */
final class CollectdValues {
  private static final int DATE_LENGTH = "-2026-01-31".length();
  private static final int GAUGE_DIGITS = 6;

  private CollectdValues() {}

  /**
   * The values of one data source.
   *
   * @param source its name, or empty where the type has only one
   */
  record Source(
      String host,
      String plugin,
      String pluginInstance,
      String type,
      String typeInstance,
      String source,
      List<Row> rows) {
    /** Returns its name in write_http's KairosDB format. */
    KairosQuery.Wanted overHttp() {
      Map<String, String> tags = new LinkedHashMap<>();
      tags.put("host", host);
      put(tags, "plugin_instance", pluginInstance);
      tags.put("type", type);
      put(tags, "type_instance", typeInstance);
      put(tags, "ds", source);
      return new KairosQuery.Wanted("collectd." + plugin, tags);
    }

    private static void put(Map<String, String> tags, String name, String value) {
      if (!value.isEmpty()) {
        tags.put(name, value);
      }
    }

    /**
     * Returns its name in write_tsdb: the parts from left to right, except that the type's instance
     * precedes the type if neither the plugin's instance nor a data source is named.
     */
    KairosQuery.Wanted overTelnet() {
      List<String> parts =
          pluginInstance.isEmpty() && source.isEmpty()
              ? List.of(plugin, typeInstance, type)
              : List.of(plugin, pluginInstance, type, typeInstance, source);
      return new KairosQuery.Wanted(
          String.join(".", parts.stream().filter(part -> !part.isEmpty()).toList()),
          Map.of("fqdn", host));
    }

    /**
     * Returns its labels in write_prometheus. Counters are the values that csv writes as integers.
     */
    Map<String, String> overScrape() {
      String name =
          Stream.of("collectd", plugin, type.equals(plugin) ? "" : type, source)
              .filter(part -> !part.isEmpty())
              .collect(Collectors.joining("_"));
      Map<String, String> labels = new TreeMap<>();
      labels.put("__name__", rows.getFirst().isInteger() ? name + "_total" : name);
      put(labels, plugin, pluginInstance);
      put(labels, pluginInstance.isEmpty() ? plugin : "type", typeInstance);
      labels.put("instance", host);
      return labels;
    }

    @Override
    public String toString() {
      return String.join("/", host, plugin, pluginInstance, type, typeInstance, source);
    }
  }

  /**
   * One value.
   *
   * @param milliseconds since 1970, rounded as by the csv plugin
   * @param text its text in the file: integers without a decimal point, gauges with six decimals
   */
  record Row(long milliseconds, String text) {
    /** Returns whether a value is the same after it is rounded as in the file. */
    boolean isValue(BigDecimal found) {
      return isInteger()
          ? found.compareTo(new BigDecimal(text)) == 0
          // collectd had the nearest double; printf rounds its exact decimal form.
          : new BigDecimal(found.doubleValue())
                  .setScale(GAUGE_DIGITS, RoundingMode.HALF_EVEN)
                  .compareTo(new BigDecimal(text))
              == 0;
    }

    boolean isInteger() {
      return !text.contains(".");
    }

    /**
     * Returns the milliseconds that write_http may have sent, the most likely first. The plugins
     * round the same time, in units of 2^-30 seconds, in different ways.
     */
    List<Long> times() {
      return List.of(milliseconds, milliseconds - 1, milliseconds + 1);
    }

    /**
     * Returns the seconds that write_tsdb may have sent: the nearest to any of the milliseconds.
     */
    SortedSet<Long> seconds() {
      SortedSet<Long> seconds = new TreeSet<>();
      times().forEach(time -> seconds.add(Math.floorDiv(time + 500, 1000L)));
      return seconds;
    }
  }

  /** Reads all files below a folder. */
  static List<Source> read(Path folder) throws IOException {
    List<Source> sources = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        read(folder.relativize(file), Files.readAllLines(file), sources);
      }
    }
    return sources;
  }

  private static void read(Path path, List<String> lines, List<Source> into) {
    String[] plugin = path.getName(1).toString().split("-", 2);
    String file = path.getFileName().toString();
    String[] type = file.substring(0, file.length() - DATE_LENGTH).split("-", 2);
    String[] columns = lines.getFirst().split(",", -1);
    for (int column = 1; column < columns.length; column++) {
      List<Row> rows = new ArrayList<>();
      for (String line : lines.subList(1, lines.size())) {
        String[] cells = line.split(",", -1);
        rows.add(
            new Row(new BigDecimal(cells[0]).movePointRight(3).longValueExact(), cells[column]));
      }
      into.add(
          new Source(
              path.getName(0).toString(),
              plugin[0],
              plugin.length > 1 ? plugin[1] : "",
              type[0],
              type.length > 1 ? type[1] : "",
              columns[column].equals("value") ? "" : columns[column],
              rows));
    }
  }
}
