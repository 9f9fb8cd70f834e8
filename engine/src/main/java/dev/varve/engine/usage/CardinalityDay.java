package dev.varve.engine.usage;

import dev.varve.engine.request.Cardinality;
import dev.varve.engine.request.Cardinality.Count;
import dev.varve.model.Bytes;
import dev.varve.store.LaterFormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The cardinality of a dataset on one day: its numbers of series and labels.
 *
 * @param day days since 1970, in UTC
 * @param series number of series keys
 * @param labelPairs number of distinct pairs of a label and a value
 * @param seriesByMetric metrics with the most series, at most {@link #NAMES_MAX}
 * @param valuesByLabel labels with the most values, at most as many
 */
public record CardinalityDay(
    long day, long series, long labelPairs, List<Count> seriesByMetric, List<Count> valuesByLabel) {
  /** Names kept in each list. */
  public static final int NAMES_MAX = 50;

  private static final int VERSION = 1;
  private static final int NAME_MAX = 200;

  public CardinalityDay {
    seriesByMetric = List.copyOf(seriesByMetric);
    valuesByLabel = List.copyOf(valuesByLabel);
  }

  static CardinalityDay of(long day, Cardinality counts) {
    return new CardinalityDay(
        day,
        counts.series(),
        counts.labelPairs(),
        named(counts.seriesByMetric()),
        named(counts.valuesByLabel()));
  }

  /** Returns the first counts, without those of names that are too long to be kept. */
  private static List<Count> named(List<Count> counts) {
    return counts.stream().filter(one -> one.name().length() <= NAME_MAX).limit(NAMES_MAX).toList();
  }

  /** Returns the day without names that have to go. */
  CardinalityDay without(Predicate<String> metric, Predicate<String> label) {
    return new CardinalityDay(
        day,
        series,
        labelPairs,
        seriesByMetric.stream().filter(one -> !metric.test(one.name())).toList(),
        valuesByLabel.stream().filter(one -> !label.test(one.name())).toList());
  }

  /**
   * Returns the value of the home: version u8, series and pairs i64, then both lists, each with its
   * length u16, and for each name the text (length u16, modified UTF-8) and its count i64.
   */
  Bytes encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeLong(series);
      out.writeLong(labelPairs);
      for (List<Count> counts : List.of(seriesByMetric, valuesByLabel)) {
        out.writeShort(counts.size());
        for (Count count : counts) {
          out.writeUTF(count.name());
          out.writeLong(count.count());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Bytes.of(bytes.toByteArray());
  }

  /**
   * Decodes a day.
   *
   * @throws IllegalArgumentException if the bytes are not one
   * @throws LaterFormatException if a later version wrote them
   */
  static CardinalityDay decode(long day, Bytes bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toArray()))) {
      int version = in.readUnsignedByte();
      if (version > VERSION) {
        throw new LaterFormatException("the cardinality of a day", version, VERSION);
      }
      if (version != VERSION) {
        throw new IllegalArgumentException("version " + version + " is unknown");
      }
      return new CardinalityDay(day, in.readLong(), in.readLong(), counts(in), counts(in));
    } catch (IOException e) {
      throw new IllegalArgumentException("it ends early", e);
    }
  }

  private static List<Count> counts(DataInputStream in) throws IOException {
    int size = in.readUnsignedShort();
    List<Count> counts = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      counts.add(new Count(in.readUTF(), in.readLong()));
    }
    return counts;
  }
}
