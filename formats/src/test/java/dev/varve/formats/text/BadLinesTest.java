package dev.varve.formats.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Properties of every text format for arbitrary bytes: a line is read, or rejected with a {@link
 * BadLineException}; reading terminates; surrounding bytes do not matter; and a rejected line
 * leaves the batch unchanged.
 */
class BadLinesTest {
  private static final GroupKey BEFORE = GroupKey.of("before", Tags.of("a", "b"));

  /** A format, and valid lines from which invalid ones are derived. */
  enum Subject {
    INFLUX(
        "weather,place=a\\ b\\,c temp=82.5,rain=0i,sky=\"a \\\"b\\\"\",ok=t 1465839830100400200") {
      @Override
      LineFormat format() {
        return new InfluxLines(Resolution.NANOSECONDS, Resolution.MILLISECONDS, () -> 0, false);
      }
    },
    INFLUX_JOINED("m,t=v a=1,b=2i,c=\"x\" 1000000") {
      @Override
      LineFormat format() {
        return new InfluxLines(Resolution.SECONDS, Resolution.NANOSECONDS, () -> 0, true);
      }
    },
    OPENTSDB("put sys.cpu 1356998400.123 42.5 host=a cpu=0") {
      @Override
      LineFormat format() {
        return new OpenTsdbLines(Resolution.NANOSECONDS);
      }
    },
    KAIROSDB(
        "{\"name\":\"m\",\"tags\":{\"host\":\"a\"},\"datapoints\":[[1,2,\"long\"],[3,4.5],[5,\"s\"]]}") {
      @Override
      LineFormat format() {
        return new KairosDbLines(Resolution.NANOSECONDS, new LeftOut());
      }
    },
    PROMETHEUS("{\"my.metric\",a=\"b\\\\\\\"c\\n\" , \"d e\"=\"}\"} 1.5e3 1395066363000") {
      @Override
      LineFormat format() {
        return new PrometheusLines(Resolution.NANOSECONDS, () -> 0);
      }
    },
    CSV("2026-01-31 12:00,\"S\"\"P\",1.5,7,\"a,b\"") {
      @Override
      LineFormat format() {
        CsvLines lines =
            new CsvLines(
                new CsvLines.Columns(
                    "m",
                    null,
                    "date",
                    Resolution.SECONDS,
                    null,
                    List.of("symbol"),
                    Map.of(),
                    Map.of("a", Kind.DOUBLE, "b", Kind.INT64, "c", Kind.STRING)),
                Resolution.NANOSECONDS);
        Reading.read(lines, utf8("date,symbol,a,b,c"), new BatchBuilder());
        return lines;
      }
    };

    private final String line;

    Subject(String line) {
      this.line = line;
    }

    abstract LineFormat format();

    byte[] bytes() {
      return utf8(line);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Property(tries = 3_000)
  void aLineIsReadOrRefusedWhole(@ForAll Subject subject, @ForAll("changes") Change change) {
    check(subject, change.in(subject.bytes()));
  }

  @Property(tries = 3_000)
  void arbitraryBytesAreReadOrRefusedWhole(
      @ForAll Subject subject, @ForAll("anyBytes") byte[] line) {
    check(subject, line);
  }

  /** Includes every prefix and every suffix of a valid line. */
  @Property
  void everyPartOfALineIsReadOrRefusedWhole(@ForAll Subject subject) {
    byte[] line = subject.bytes();
    for (int i = 0; i <= line.length; i++) {
      check(subject, Arrays.copyOfRange(line, 0, i));
      check(subject, Arrays.copyOfRange(line, i, line.length));
    }
  }

  private static void check(Subject subject, byte[] line) {
    List<String> alone =
        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> outcome(subject, line, 0, 0));
    assertThat(alone).isNotEmpty();
    assertThat(outcome(subject, line, 7, 3)).as("the same line amid other bytes").isEqualTo(alone);
  }

  /** Returns the samples, or the error after checking that the batch is unchanged. */
  private static List<String> outcome(Subject subject, byte[] line, int before, int after) {
    byte[] bytes = new byte[before + line.length + after];
    new Random(1).nextBytes(bytes);
    System.arraycopy(line, 0, bytes, before, line.length);
    BatchBuilder batch = new BatchBuilder().add(BEFORE, 1, new Value.Int64(2));
    List<String> outcome = new ArrayList<>();
    try {
      subject.format().read(bytes, before, before + line.length, batch);
    } catch (BadLineException e) {
      assertThat(e.getMessage()).isNotBlank().doesNotContain("\n").hasSizeLessThan(400);
      outcome.add(e.getMessage());
    }
    boolean refused = !outcome.isEmpty();
    int count = batch.sampleCount();
    List<String> samples = Reading.show(batch.build());
    assertThat(samples).hasSize(count).startsWith("before{a=\"b\"} 1 2i");
    if (refused) {
      assertThat(samples).as("what is left of the line").hasSize(1);
    }
    outcome.addAll(samples);
    return outcome;
  }

  /** Replaces some bytes of a line with others. */
  record Change(double where, int left, byte[] put) {
    private byte[] in(byte[] line) {
      int from = (int) (where * line.length);
      int to = Math.min(line.length, from + left);
      ByteArrayOutputStream changed = new ByteArrayOutputStream();
      changed.write(line, 0, from);
      changed.writeBytes(put);
      changed.write(line, to, line.length - to);
      return changed.toByteArray();
    }
  }

  @Provide
  Arbitrary<Change> changes() {
    return Combinators.combine(
            Arbitraries.doubles().between(0, 1), Arbitraries.integers().between(0, 8), telling(4))
        .as(Change::new);
  }

  @Provide
  Arbitrary<byte[]> anyBytes() {
    return Arbitraries.oneOf(telling(40), Arbitraries.bytes().array(byte[].class).ofMaxSize(40));
  }

  /** Bytes that have a meaning in some format. */
  private static Arbitrary<byte[]> telling(int max) {
    return Arbitraries.of(toList("\\\"{}[](),=: \t\r#'+-.019eEiutmnaN\u0000"))
        .array(byte[].class)
        .ofMaxSize(max);
  }

  private static List<Byte> toList(String characters) {
    List<Byte> bytes = new ArrayList<>();
    for (byte b : utf8(characters)) {
      bytes.add(b);
    }
    bytes.add((byte) 0xff);
    bytes.add((byte) 0xc3);
    return bytes;
  }
}
