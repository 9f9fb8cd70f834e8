package dev.varve.formats.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.BatchBuilder;
import dev.varve.model.Resolution;
import java.util.List;
import org.junit.jupiter.api.Test;

class GraphiteLinesTest {
  private static String series(String path, boolean joined, String... rules) {
    GraphiteLines lines =
        new GraphiteLines(
            GraphiteTemplates.of(List.of(rules)), Resolution.MILLISECONDS, () -> 0, joined);
    BatchBuilder batch = new BatchBuilder();
    byte[] line = (path + " 1 1700000000").getBytes(UTF_8);
    lines.read(line, 0, line.length, batch);
    var group = batch.build().groups().getFirst();
    String field = group.columns().getFirst().field();
    return group.key().field(field).toString();
  }

  @Test
  void appliesTemplatesToTheNameOfAPathWithTags() {
    String rule = "servers.* .host.measurement.field site=x";
    assertThat(series("servers.web1.cpu.load", false, rule))
        .isEqualTo("cpu{host=\"web1\",site=\"x\"}#load");
    assertThat(series("servers.web1.cpu.load;rack=7", false, rule))
        .isEqualTo("cpu{host=\"web1\",rack=\"7\",site=\"x\"}#load");
    assertThat(series("servers.web1.cpu.load;host=own;site=y", false, rule))
        .isEqualTo("cpu{host=\"own\",site=\"y\"}#load");
    assertThat(series("servers.web1.cpu.load;rack=7", true, rule))
        .isEqualTo("cpu_load{host=\"web1\",rack=\"7\",site=\"x\"}");
    assertThat(series("other.a;rack=7", false, rule)).isEqualTo("other.a{rack=\"7\"}");
    assertThat(series("servers.web1.cpu;path=a.b.c", false))
        .isEqualTo("servers.web1.cpu{path=\"a.b.c\"}");
  }

  @Test
  void refusesAPathWithoutANameOrWithBadTags() {
    for (String path : List.of(";a=b", "m;", "m;a", "m;a=", "m;=b", "m;a=b;")) {
      assertThatThrownBy(() -> series(path, false, "measurement*"))
          .as(path)
          .isInstanceOf(BadLineException.class);
    }
  }
}
