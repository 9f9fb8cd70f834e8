package dev.varve.layout.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks the worked example on the layout's page. */
class BlockPageTest {
  private static final Path PAGE = Path.of("../docs/layouts/blocks.md");
  private static final int METRIC = 3;
  private static final int SERIES = 7;
  private static final long GENERATION = 1_700_000_000_000_123L;

  private final Map<String, Bytes> coordinates = new HashMap<>();
  private final SampleColumn samples = new SampleColumn();

  @Test
  void encodesAndDecodesTheExampleOfThePage() throws IOException {
    read();
    BlockWriter writer = new BlockWriter();
    writer.encode(samples, 0, samples.size());
    long bucket = BlockKey.bucket(samples.time(0), Resolution.MILLISECONDS);
    assertThat(
            Map.of(
                "row", BlockKey.row(bucket, METRIC, SERIES),
                "qualifier", BlockKey.qualifier(samples.time(0), GENERATION),
                "head", writer.head(),
                "body", writer.body()))
        .isEqualTo(coordinates);
    assertThat(decoded()).isEqualTo(lines(samples));
  }

  private List<String> decoded() {
    byte[] head = bytes("head");
    byte[] body = bytes("body");
    SampleColumn into = new SampleColumn();
    new BlockReader()
        .decode(BlockHead.read(head, 0, head.length), null, body, 0, body.length, TimeRange.ALL, into);
    return lines(into);
  }

  private byte[] bytes(String name) {
    return coordinates.getOrDefault(name, Bytes.EMPTY).toArray();
  }

  private static List<String> lines(SampleColumn column) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < column.size(); i++) {
      lines.add(column.time(i) + " " + column.kind(i) + " " + column.value(i));
    }
    return lines;
  }

  private void read() throws IOException {
    boolean within = false;
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("```")) {
        within = line.equals("```block");
      } else if (within) {
        String[] words = line.split(" +", -1);
        if (words[0].equals("sample")) {
          double value = Double.parseDouble(words[2]);
          samples.add(Long.parseLong(words[1]), Kind.DOUBLE, Double.doubleToRawLongBits(value));
        } else {
          coordinates.put(words[0], Bytes.fromHex(words[1]));
        }
      }
    }
  }
}
